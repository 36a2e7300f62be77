"""Completion in shells.

The scripts of `--print-completion` hand the line to the program, which knows what fits: the flags,
and the passes of the IR and the plugins that the line names. Not shtab: it has neither values
behind `=` nor names inside a pipeline, and its scripts have the passes of the day on which they
were made.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from passel.specification.markdown import option_help
from passel.tool.flag_values import known_irs
from passel.tool.flags import is_level
from passel.tool.help import listed_values, spellings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from passel.ir.frontend import Flag
    from passel.passes import PassRegistry
    from passel.passes.options import OptionInfo
    from passel.tool.help import Program

# Where nothing fits, shells complete files. bash takes what follows `=` for a word of its own.
_BASH = """\
# Completion of {program} in bash: eval "$({program} --print-completion=bash)"
{function}() {{
    local IFS=$'\\n'
    COMPREPLY=($({program} --complete="${{COMP_LINE:0:COMP_POINT}}" 2>/dev/null))
    COMPREPLY=("${{COMPREPLY[@]%%$'\\t'*}}")
    if [[ ${{COMP_WORDS[COMP_CWORD]}} == [\\'\\"]* && ${{COMP_WORDS[COMP_CWORD-1]}} == = ]]; then
        COMPREPLY=("${{COMPREPLY[@]#*=}}")
    elif [[ ${{COMP_WORDS[COMP_CWORD]}} == = || ${{COMP_WORDS[COMP_CWORD-1]}} == = ]]; then
        local typed="${{COMP_LINE:0:COMP_POINT}}"
        typed="${{typed##*[[:space:]]}}"
        COMPREPLY=("${{COMPREPLY[@]#"${{typed%"${{typed##*=}}"}}"}}")
    elif [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]]; then
        compopt -o nospace
    fi
}}
complete -o bashdefault -o default -F {function} {program}
"""

_FISH = """\
# Completion of {program} in fish: {program} --print-completion=fish | source
function {function}
    set -l found ({program} --complete=(commandline -cp | string collect) 2>/dev/null)
    set -l flag (commandline -ct | string match -r -- '^-[^=]*=')
    set -l path (commandline -ct | string replace -r -- '^-[^=]*=' '')
    test (count $found) -gt 0; or set found "$flag"(__fish_complete_path "$path")
    printf '%s\\n' $found
end
complete -c {program} -f -a '({function})'
"""

_ZSH = """\
#compdef {program}
# Completion of {program} in zsh: eval "$({program} --print-completion=zsh)" behind compinit,
# or a file _{program} in a folder of $fpath.
{function}() {{
    local -a found begun whole
    found=(${{(f)"$({program} --complete="${{(j: :)words[1,CURRENT]}}" 2>/dev/null)"}})
    begun=(${{(M)found:#*=$'\\t'*}}) whole=(${{found:#*=$'\\t'*}})
    compadd -l -d begun -S '' -- ${{begun%%$'\\t'*}}
    compadd -l -d whole -- ${{whole%%$'\\t'*}}
    (( $#found )) || {{ compset -P '-*='; _files }}
}}
if [[ $funcstack[1] == {function} ]]; then
    {function}
else
    compdef {function} {program}
fi
"""

_BRACED = re.compile(r"((?:.*[(,])?([^\s(),{}]+)\{)([^(){}]*)", re.DOTALL)
"""A pipeline that ends in the options of a pass: what is before them, the pass, the options."""

_SCRIPTS = {"bash": _BASH, "fish": _FISH, "zsh": _ZSH}


def completion_script(shell: str, program: str) -> str:
    """Return a script for a shell that completes the arguments of a program.

    Args:
        shell: `bash` (4 or newer), `fish` or `zsh`.
        program: The program's name.
    """
    function = "_" + re.sub(r"\W", "_", program, flags=re.ASCII)
    return _SCRIPTS[shell].format(program=program, function=function)


def completions(
    line: str, program_of: Callable[[Sequence[str]], tuple[Program, PassRegistry]]
) -> str:
    """Return the words that the last one of a line may become, each with a tab and its help.

    Args:
        line: The line up to the cursor, beginning with the program's name.
        program_of: Returns the program, and the passes and pipelines that are flags as well, given
            the words before the last one.
    """
    _, *before, word = _split(line)
    program, passes = program_of(before)
    shown = [flag for _, flags in program.shown for flag in flags]
    flags = {name: each for each in shown for name in (each.name, *each.short)}
    fitting = dict(_fitting(before, word, flags, passes))
    return "".join(
        f"{found}\t{text}\n" for found, text in fitting.items() if found.startswith(word)
    )


def _split(line: str) -> list[str]:
    """Return the words of a line, the last of which may be empty, or in quotes that are open."""
    for quote in ("", "'", '"'):
        try:
            # What follows the cursor, were it there, would belong to the last word.
            words = shlex.split(f"{line}.{quote}")
        except ValueError:
            continue
        return [*words[:-1], words[-1][:-1]]
    return ["", ""]


def _fitting(
    before: list[str], word: str, flags: Mapping[str, Flag], passes: PassRegistry
) -> Iterator[tuple[str, str]]:
    """Yield words that may stand for the last one, each with its help."""
    head, equals, text = word.partition("=")
    kept = head + equals
    if not (word.startswith("-") and equals):
        head, kept, text = "".join(before[-1:]), "", word
    flag = flags.get(head.lstrip("-")) if head.startswith("-") else None
    if flag is not None and (kept or _needs_value(flag)):
        yield from ((f"{kept}{value}", told) for value, told in _values(flag, text, passes))
    elif kept and (name := head.lstrip("-")) in passes:
        yield from ((f"{kept}{value}", told) for value, told in _options(name, text, passes))
    elif word.startswith("-"):
        for each in flags.values():
            long, *short = spellings(each)
            ending = "=" if _needs_value(each) and long.startswith("--") else ""
            yield from ((name, each.help) for name in (f"{long}{ending}", *short))
        for name in _names(passes):
            yield f"-{name}" if is_level(name) else f"--{name}", "pass"


def _names(passes: PassRegistry) -> list[str]:
    return [info.name for info in (*passes.passes(), *passes.pipelines())]


def _needs_value(flag: Flag) -> bool:
    return bool(flag.metavar) and flag.implied is None


def _values(flag: Flag, text: str, passes: PassRegistry) -> Iterator[tuple[str, str]]:
    """Yield what a flag's value may be that begins with a text; nothing if it may be anything."""
    if flag.name == "ir":
        yield from ((name, "") for name in known_irs())
    elif not flag.metavar:
        yield from (("true", ""), ("false", ""))
    elif flag.metavar in {"<pass>", "<passes>", "<pipeline>"}:
        yield from _in_pipeline(text, passes)
    else:
        yield from ((value, "") for value in listed_values(flag))


def _in_pipeline(text: str, passes: PassRegistry) -> Iterator[tuple[str, str]]:
    """Yield what a pipeline may be that begins with a text: with one more pass, or option."""
    braced = _BRACED.fullmatch(text)
    if braced and braced[2] in passes:
        for value, told in _options(braced[2], braced[3], passes):
            yield f"{braced[1]}{value}", told
        return
    last = re.split("[(,]", text)[-1]
    found = [f"{text.removesuffix(last)}{name}" for name in _names(passes) if name.startswith(last)]
    yield from ((each, "") for each in found)
    if len(found) == 1:  # or a shell would close the quotes of a pipeline
        yield f"{found[0]},", ""


def _options(name: str, text: str, passes: PassRegistry) -> Iterator[tuple[str, str]]:
    """Yield what the options of a pass or pipeline may be that begin with a text."""
    if (info := passes.lookup_pass(name)) is not None:
        options = info.pass_class.documented_options()
    else:
        pipeline = passes.lookup_pipeline(name)
        options = pipeline.options.option_infos() if pipeline and pipeline.options else ()
    *given, last = re.split(r"\s", text)
    kept = text.removesuffix(last)
    taken = {each.partition("=")[0] for each in given}
    found = [each for each in options if each.name not in taken and each.name.startswith(last)]
    for each in found:
        yield f"{kept}{each.name}=", option_help(each)
    begun = [each for each in options if last.startswith(f"{each.name}=")]
    for each in begun or (found if len(found) == 1 else ()):  # as for passes
        for value in _option_values(each):
            yield f"{kept}{each.name}={value}", option_help(each)


def _option_values(option: OptionInfo) -> list[str]:
    """Return some values of an option: those that there are, or the default."""
    if not option.metavar:
        return ["true", "false"]
    if "|" in option.metavar:
        return [each for each in option.metavar.strip("<>").split("|") if "<" not in each]
    return [] if option.required else [option.default_text]
