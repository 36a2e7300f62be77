"""Display of objects in IPython, as HTML in notebooks and as text on terminals.

The HTML and the text are generated from the same `Text` and `Table` objects.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Bundle: TypeAlias = dict[str, str]
"""The displayed forms of an object, by media type."""

_TINTS = {"-": "#f8514940", "+": "#2ea04340", "@": "#3b82f640"}
"""The backgrounds of lines of diffs, for dark and light themes."""

_MOST_LINES = 100
"""The maximum number of lines of a diff in a notebook's file."""


class Text(NamedTuple):
    """Preformatted lines of text for display.

    Attributes:
        text: The lines, separated by newlines.
        is_error: Whether the lines contain an error message.
    """

    text: str
    is_error: bool = False

    def plain(self) -> str:
        """Return the lines as plain text."""
        return self.text

    def html(self) -> str:
        """Return the lines as HTML that preserves the indentation."""
        return _pre(_tinted("-", self.text) if self.is_error else escape(self.text))


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        depth: The nesting depth of the row.
        title: The text of the first column.
        cells: The text of each column after the first.
        diff: A unified diff that a notebook shows after a click on the row; empty if there is none.
    """

    depth: int
    title: str
    cells: tuple[object, ...] = ()
    diff: str = ""

    def html(self, columns: int) -> str:
        """Return the row as HTML, padded with empty cells to `columns` columns after the title."""
        title = f"<code>{escape(self.title)}</code>"
        if self.diff:
            lines = "\n".join(_tinted(line[:1], line) for line in self.diff.splitlines())
            title = f"<details><summary>{title}</summary>{_pre(lines)}</details>"
        top = "vertical-align:top"
        cells = "".join(f'<td style="{top}">{escape(str(each))}</td>' for each in self.cells)
        style = f"text-align:left;{top};padding-left:{1 + self.depth}em"
        rest = "<td></td>" * (columns - len(self.cells))
        return f'<tr><td style="{style}">{title}</td>{cells}{rest}</tr>'


class Table(NamedTuple):
    """A table of nested rows.

    Attributes:
        titles: The titles of the columns.
        rows: The rows.
    """

    titles: tuple[str, ...]
    rows: Sequence[TableRow]

    def plain(self) -> str:
        """Return the table as text."""
        rows = [("  " * row.depth + row.title, *map(str, row.cells)) for row in self.rows]
        lines = [(*row, *[""] * (len(self.titles) - len(row))) for row in (self.titles, *rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]).rstrip()
            for first, *others in lines
        )

    def html(self) -> str:
        """Return the table as HTML."""
        first, *others = map(escape, self.titles)
        head = f'<th style="text-align:left">{first}</th>'
        head += "".join(f"<th>{each}</th>" for each in others)
        rows = "".join(row.html(len(self.titles) - 1) for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def bundle(*parts: Text | Table) -> Bundle:
    """Return the HTML and the plain text that IPython displays for a sequence of texts and tables.

    Source: `_repr_mimebundle_` of IPython, which Jupyter, VS Code and marimo call.
    """
    return {
        "text/plain": "\n\n".join(each.plain() for each in parts),
        "text/html": "".join(each.html() for each in parts),
    }


def cut_diff(title: str, diff: str) -> str:
    """Return a title and the first lines of a unified diff; if lines are omitted, say how many."""
    lines = diff.splitlines()[2:]  # without the names `before` and `after`
    more = [f"... and {len(lines) - _MOST_LINES} more lines"] if lines[_MOST_LINES:] else []
    return "\n".join([title, *lines[:_MOST_LINES], *more])


def _pre(html: str) -> str:
    """Return preformatted lines, without the fonts, margins and backgrounds of themes."""
    return f'<pre style="font-family:monospace;margin:0 0 1em;background:none">{html}</pre>'


def _tinted(kind: str, line: str) -> str:
    tint = _TINTS.get(kind)
    return f'<span style="background:{tint}">{escape(line)}</span>' if tint else escape(line)
