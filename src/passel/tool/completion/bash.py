"""Completion in bash, 4 or newer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.tool.completion.words import kind_of, pass_flag, spellings, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.ir.frontend import Flag
    from passel.tool.completion.words import Words

# The word at the cursor is what follows `=`, which separates words in bash, or all of it where
# users have changed that.
_SCRIPT = """\
# Completion of {program} in bash: eval "$({program} --print-completion=bash)"

{function}() {{
    local IFS=$'\\n' flag= kept= names flags passes
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
    case $COMP_LINE in
{irs}
    esac
    if [[ $cur == = ]]; then
        flag=$prev cur=
    elif [[ $prev == = ]]; then
        flag=${{COMP_WORDS[COMP_CWORD-2]}}
    elif [[ $cur == -*=* ]]; then
        flag=${{cur%%=*}} kept=${{cur%%=*}}= cur=${{cur#*=}}
    else
        case $prev in
        {valued}) flag=$prev ;;
        esac
    fi
    cur=${{cur#[\\"\\']}}
    COMPREPLY=()
    case ${{flag/#--/-}} in
{values}
    -?*) ;;
    *)
        [[ $cur == -* ]] || return
        flags='{flags}'
        COMPREPLY=($(compgen -W "$flags"$'\\n'"$passes" -- "$cur"))
        [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
        ;;
    esac
}}

complete -o bashdefault -o default -F {function} {program}
"""

# A single name comes with a comma as well, or bash would close the quotes of a pipeline.
_NAMES = """\
        local last=${cur##*[(,]}
        COMPREPLY=($(compgen -P "$kept${cur%"$last"}" -W "$names" -- "$last"))
        compopt -o nospace
        [[ ${#COMPREPLY[@]} == 1 ]] && COMPREPLY+=("${COMPREPLY[0]},")"""


def script(words: Words) -> str:
    """Return the script."""
    needing = [each for each in words.flags if each.metavar and each.implied is None]
    return _SCRIPT.format(
        program=words.program,
        function=words.function,
        irs="\n".join(_irs(words)),
        valued=" | ".join(_dashed(needing)),
        values="\n".join(_values(words)),
        flags="\n".join(_flag(each) for each in words.flags),
    )


def _flag(flag: Flag) -> str:
    needs = flag.metavar and flag.implied is None
    return spellings(flag)[0] + ("=" if needs and len(flag.name) > 1 else "")


def _dashed(flags: list[Flag]) -> Iterator[str]:
    """Yield flags in all ways in which they may be written."""
    for flag in flags:
        for name in (flag.name, *flag.short):
            yield from (f"-{name}", f"--{name}") if len(name) > 1 else (f"-{name}",)


def _irs(words: Words) -> Iterator[str]:
    first, *others = words.names
    for ir in [*others, first]:
        pattern = "*" if ir == first else f"*-ir[=\\ ]{ir}*"
        names = "\n".join(words.names[ir])
        flags = "\n".join(map(pass_flag, words.names[ir]))
        yield f"    {pattern})\n        names='{names}'\n        passes='{flags}'\n        ;;"


def _values(words: Words) -> Iterator[str]:
    """Yield what to do for the flags that have values, those with equal ones together."""
    flags: dict[str, list[str]] = {}
    for flag in words.flags:
        if action := _action(flag):
            flags.setdefault(action, []).extend(f"-{name}" for name in (flag.name, *flag.short))
    for action, names in flags.items():
        yield f"    {' | '.join(names)})\n{action}\n        ;;"


def _action(flag: Flag) -> str:
    match kind_of(flag):
        case "names":
            return _NAMES
        case "file":
            # By itself, bash completes files behind `=`, unless that is no separator.
            return '        [[ -z $kept ]] || COMPREPLY=($(compgen -P "$kept" -f -- "$cur"))'
        case "directory":
            return (
                '        COMPREPLY=($(compgen -P "$kept" -d -- "$cur"))\n'
                "        compopt -o filenames -o nospace"
            )
        case "boolean" | "words":
            values = "$'\\n'".join(values_of(flag))
            return f'        COMPREPLY=($(compgen -P "$kept" -W {values} -- "$cur"))'
        case _:
            return ""
