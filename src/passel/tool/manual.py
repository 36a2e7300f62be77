"""`--print-manual`: the manual page of a program, made from what its help shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel._version import __version__
from passel.tool.help import listed_values, spellings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.ir.frontend import Flag
    from passel.tool.help import Program

_PAGE = """\
.TH "{title}" 1 "" "passel {version}" "User Commands"
.SH NAME
{name} \\- {summary}
.SH SYNOPSIS
.B {name}
{inputs} [flags]
.SH DESCRIPTION
.nf
{notes}
.fi
.SH FLAGS
One dash or two are the same.
A value follows \\fB=\\fR or, where it cannot be left out, as the next argument.
A boolean flag takes \\fBtrue\\fR or \\fBfalse\\fR; alone it means \\fBtrue\\fR.
{flags}
.PP
{closing}
.SH EXAMPLES
.nf
{examples}
.fi
"""


def manual_page(program: Program) -> str:
    """Return the page in the macros of `man`."""
    lines: list[str] = []
    for title, flags in program.shown:
        lines += [f".SS {_text(title)}", *(line for flag in flags for line in _flag(flag))]
    return _PAGE.format(
        title=_text(program.name.upper()),
        version=__version__,
        name=_text(program.name),
        summary=_text(program.summary),
        inputs=_text(program.inputs),
        notes=_texts(program.notes),
        flags="\n".join(lines),
        closing=_texts(program.closing),
        examples=_texts(program.examples),
    )


def _texts(lines: str) -> str:
    return "\n".join(map(_text, lines.splitlines()))


def _flag(flag: Flag) -> Iterator[str]:
    value = f"=\\fI{_text(flag.metavar)}\\fR" if flag.metavar else ""
    if flag.implied is not None:
        value = f"[{value}]"
    long, *short = (f"\\fB{_text(each)}\\fR" for each in spellings(flag))
    others = [f"\\fB\\-\\-{_text(each)}\\fR" for each in flag.short if len(each) > 1]
    yield from (".TP", ", ".join([*short, f"{long}{value}", *others]))
    yield _sentence(flag)


def _sentence(flag: Flag) -> str:
    """Return the help of a flag as sentences, with what it is when it is not given."""
    text = _text(flag.help[:1].upper() + flag.help[1:]) + "."
    default = flag.default
    if default is True:
        text += "\nOn by default."
    elif isinstance(default, str) and default and listed_values(flag):
        text += f"\nBy default \\fB{_text(default)}\\fR."
    return text


def _text(text: str) -> str:
    """Return text in which roff sees no requests, and that can be copied from the page."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith((".", "\\(aq")) else escaped
