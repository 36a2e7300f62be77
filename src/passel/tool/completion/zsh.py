"""Completion in zsh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.tool.completion.words import is_long, kind_of, pass_flag, spellings, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.ir.frontend import Flag
    from passel.tool.completion.words import Words

_SCRIPT = """\
#compdef {program}
# Completion of {program} in zsh: eval "$({program} --print-completion=zsh)" behind compinit,
# or a file _{program} in a folder of $fpath.

{function}_names() {{
    compset -P '*[(,]'
    compadd -S '' -a names
}}

{function}() {{
    local -a names passes
    case "${{words[*]}}" in
{irs}
    esac
    _arguments \\
{flags} \\
        "${{passes[@]}}" \\
        '*:input:_files'
}}

if [[ $funcstack[1] == {function} ]]; then
    {function} "$@"
else
    compdef {function} {program}
fi
"""


def script(words: Words) -> str:
    """Return the script."""
    return _SCRIPT.format(
        program=words.program,
        function=words.function,
        irs="\n".join(_irs(words)),
        flags=" \\\n".join(
            f"        {spec}" for flag in words.flags for spec in _specs(flag, words)
        ),
    )


def _irs(words: Words) -> Iterator[str]:
    first, *others = words.names
    for ir in [*others, first]:
        pattern = "*" if ir == first else f"*-ir[=\\ ]{ir}*"
        names = " ".join(words.names[ir])
        flags = " ".join(f"'*{pass_flag(name)}=-[pass]::options: '" for name in words.names[ir])
        yield f"    {pattern})\n        names=({names})\n        passes=({flags})\n        ;;"


def _specs(flag: Flag, words: Words) -> Iterator[str]:
    """Yield what `_arguments` takes for a flag."""
    for name in spellings(flag):
        text, action = _bracketed(flag), _action(flag, words)
        if is_long(name) and (not flag.metavar or flag.implied is not None):
            value = f"=-{text}::value:{action}"
        elif is_long(name):
            value = f"={text}:value:{action}"
        else:
            value = f"+{text}:value:{action}" if flag.metavar else text
        yield _quoted(f"{'*' if flag.repeated else ''}{name}{value}")


def _bracketed(flag: Flag) -> str:
    text = flag.help.replace("\\", "\\\\")
    for character in "[]:":
        text = text.replace(character, f"\\{character}")
    return f"[{text}]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _action(flag: Flag, words: Words) -> str:
    match kind_of(flag):
        case "names":
            return f"{words.function}_names"
        case "file":
            return "_files"
        case "directory":
            return "_files -/"
        case "words" | "boolean":
            return f"({' '.join(values_of(flag))})"
        case _:
            return " "
