"""Lines of reports, which terminals show as text, and notebooks as the same text in HTML."""

from __future__ import annotations

from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TINTS = {"-": "#f8514940", "+": "#2ea04340", "@": "#3b82f640"}
"""The backgrounds of lines of diffs, for dark and light themes."""

_STYLE = "font-family:monospace;margin:0 0 1em;padding-left:1.5em;background:none"
"""Overrides the fonts, margins and backgrounds of themes, and leaves room for markers."""


class Line(NamedTuple):
    """A line of a report, or the lines of a message.

    Attributes:
        text: The text of the line or lines.
        is_error: Whether the text belongs to an error message.
        diff: A unified diff that a notebook shows after a click on the line, or an empty string.
    """

    text: str
    is_error: bool = False
    diff: str = ""

    def html(self) -> str:
        """Return the line as preformatted HTML."""
        text = _tinted("-", self.text) if self.is_error else escape(self.text)
        if not self.diff:
            return f"{text}\n"
        diff = "\n".join(_tinted(line[:1], line) for line in self.diff.splitlines())
        outside = 'style="list-style-position:outside"'  # the marker moves no column
        return f"<details><summary {outside}>{text}</summary>{diff}</details>"


def aligned(rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the rows of a table as lines of text.

    The first column is aligned at its left edge, and the others at their right edges. Cells at the
    end of a row may be missing.
    """
    table = [[*map(str, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*table, fillvalue="")]
    return [
        "  ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]).rstrip()
        for first, *others in table
    ]


def bundle(lines: Sequence[Line]) -> dict[str, str]:
    """Return the text and the HTML of a report, by media type.

    Source: `_repr_mimebundle_` of IPython, which Jupyter, VS Code and marimo call.
    """
    html = "".join(each.html() for each in lines)
    return {
        "text/plain": "\n".join(each.text for each in lines),
        "text/html": f'<pre style="{_STYLE}">{html}</pre>',
    }


def _tinted(kind: str, line: str) -> str:
    tint = _TINTS.get(kind)
    return f'<span style="background:{tint}">{escape(line)}</span>' if tint else escape(line)
