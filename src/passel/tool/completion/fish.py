"""Completion in fish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.tool.completion.words import is_long, kind_of, pass_flag, spellings, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.ir.frontend import Flag
    from passel.tool.completion.words import Words

_SCRIPT = """\
# Completion of {program} in fish: {program} --print-completion=fish | source
{choice}
# Names of passes, behind what stands before the last of them in a list or a pipeline. A single
# one comes with a comma as well, or fish would close the quotes.
function {function}_names
    set -l names {first}
{others}
    set -l token (commandline -ct | string replace -r -- '^-[^=]*=' '')
    set -l before (string replace -r -- '^["\\']' '' $token | string match -r -- '.*[(,]')
    set -l last (string replace -r -- '^["\\']?(.*[(,])?' '' "$token")
    set -l found (string match -- "$last*" $names)
    test (count $found) = 1; and set found $found $found,
    printf '%s\\n' "$before"$found
end

{flags}
{passes}
"""

_CHOICE = """\

function {function}_ir
    string match -qr -- "-ir[= ]$argv[1]" (commandline -b | string collect)
end
"""


def script(words: Words) -> str:
    """Return the script."""
    first, *others = words.names
    names = {ir: " ".join(words.names[ir]) for ir in words.names}
    return _SCRIPT.format(
        program=words.program,
        function=words.function,
        choice=_CHOICE.format(function=words.function) if others else "",
        first=names[first],
        others="\n".join(
            f"    {words.function}_ir {ir}; and set names {names[ir]}" for ir in others
        ),
        flags="\n".join(_complete(flag, words) for flag in words.flags),
        passes="\n".join(_passes(words)),
    )


def _complete(flag: Flag, words: Words) -> str:
    """Return the command that makes a flag known."""
    dashed = (f"-{'sl'[is_long(name)]} {name.lstrip('-')}" for name in spellings(flag))
    parts = [f"complete -c {words.program}", *dashed]
    if flag.metavar and flag.implied is None:
        parts.append("-r")
    match kind_of(flag):
        case "names":
            parts.append(f"-f -a '({words.function}_names)'")
        case "file":
            parts.append("-F")
        case "directory":
            parts.append("-f -a '(__fish_complete_directories (commandline -ct))'")
        case "words" | "boolean":
            parts.append(f"-f -a '{' '.join(values_of(flag))}'")
        case _:
            parts.append("-f")
    return " ".join([*parts, "-d", _quoted(flag.help)])


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _passes(words: Words) -> Iterator[str]:
    """Yield loops that make passes known as flags, for each IR."""
    first, *others = words.names
    for ir in words.names:
        known = [ir] if ir != first else others
        conditions = [
            f"{'not ' if ir == first else ''}{words.function}_ir {each}" for each in known
        ]
        condition = f" -n '{'; and '.join(conditions)}'" if conditions else ""
        for kind, long in (("l", True), ("o", False)):
            flags = [pass_flag(name) for name in words.names[ir]]
            names = [each.lstrip("-") for each in flags if is_long(each) is long]
            if names:
                yield f"for name in {' '.join(names)}"
                yield f"    complete -c {words.program} -{kind} $name{condition} -d pass"
                yield "end"
