"""`--print-manual`: the tool's manual page, made from the table of its flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel._version import __version__
from passel.tool.help import listed_values, spellings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.ir.frontend import Flag
    from passel.tool.help import HelpPage

_PAGE = """\
.TH "{title}" 1 "" "passel {version}" "User Commands"
.SH NAME
{name} \\- run nested pass pipelines on {subject}
.SH SYNOPSIS
.B {name}
[\\fIfile\\fR | \\fB\\-\\fR] [\\fIflags\\fR]
.SH DESCRIPTION
.B {name}
reads a file of IR, or the standard input, runs a pipeline of passes on it,
and writes the result to the standard output or the file of \\fB\\-o\\fR.
Without a pipeline it verifies and prints its input.
Diagnostics and reports go to the standard error.
.SH FLAGS
One dash or two are the same.
A value follows \\fB=\\fR or, where it cannot be left out, as the next argument.
A boolean flag takes \\fBtrue\\fR or \\fBfalse\\fR; alone it means \\fBtrue\\fR.
{flags}
.SH PASSES
Each registered pass and pipeline is a flag as well, in the order given,
with its options behind \\fB=\\fR:
\\fB\\-\\-canonicalize='max\\-iterations=2'\\fR.
\\fB\\-\\-help\\-passes\\fR lists them, \\fB\\-\\-help\\-pass=cse\\fR describes one in full.
Pipelines such as \\fB\\-O2\\fR are the levels of optimization that are registered.
.SH EXIT STATUS
.TP
.B 0
All went well.
.TP
.B 1
The input, a pass or the command line is at fault; nothing was written for that input.
.TP
.B 129, 130, 143
Ended by SIGHUP, Ctrl-C or SIGTERM.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If set, nothing is in colours unless \\fB\\-\\-color\\fR says so.
.TP
.B PASSEL_FAST
0 turns fast paths off; check runs with them and without, and fails on a difference.
.TP
.B PASSEL_JOBS
The number of worker processes without \\fB\\-j\\fR.
.SH EXAMPLES
.nf
{examples}
.fi
"""


def manual_page(page: HelpPage) -> str:
    """Return the page in the macros of `man`."""
    lines: list[str] = []
    for title, flags in page.groups:
        lines += [f".SS {_text(title)}", *(line for flag in flags for line in _flag(flag))]
    return _PAGE.format(
        title=_text(page.program.upper()),
        version=__version__,
        name=_text(page.program),
        subject=_text(page.subject),
        flags="\n".join(lines),
        examples="\n".join(map(_text, page.examples.splitlines())),
    )


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
