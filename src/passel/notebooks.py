"""How objects show themselves, in notebooks as HTML and on terminals of IPython as text.

Both forms are made of the same parts, so each class only says what its parts are.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Bundle: TypeAlias = dict[str, str]
"""The forms of an object by media type."""

_COLORS = {"-": "#b00020", "+": "#1a7f37", "@": "#0550ae"}
"""Of the lines of diffs; the last ones are legible on black and on white."""


class Text(NamedTuple):
    """Lines as they are.

    Attributes:
        text: The lines.
        is_error: Whether they say what went wrong.
    """

    text: str
    is_error: bool = False

    def plain(self) -> str:
        """Return the lines."""
        return self.text

    def html(self) -> str:
        """Return the lines with their indentation."""
        color = f' style="color:{_COLORS["-"]}"' if self.is_error else ""
        return f"<pre{color}>{escape(self.text)}</pre>"


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        depth: How deep it is nested.
        title: Its name.
        cells: What is said of it.
        diff: A unified diff, which a notebook shows on a click.
    """

    depth: int
    title: str
    cells: tuple[object, ...] = ()
    diff: str = ""

    def html(self, columns: int) -> str:
        """Return the row of a table with so many cells."""
        title = f"<code>{escape(self.title)}</code>"
        if self.diff:
            lines = "\n".join(map(_diff_line, self.diff.splitlines()))
            title = f"<details><summary>{title}</summary><pre>{lines}</pre></details>"
        cells = "".join(f"<td>{escape(str(each))}</td>" for each in self.cells)
        style = f"text-align:left;vertical-align:top;padding-left:{1 + self.depth}em"
        rest = "<td></td>" * (columns - len(self.cells))
        return f'<tr><td style="{style}">{title}</td>{cells}{rest}</tr>'


class Table(NamedTuple):
    """Rows that are nested in each other.

    Attributes:
        titles: The title of the first column, and those of the cells.
        rows: The rows.
    """

    titles: tuple[str, ...]
    rows: Sequence[TableRow]

    def plain(self) -> str:
        """Return lines with columns."""
        lines = [self.titles]
        lines += [("  " * row.depth + row.title, *map(str, row.cells)) for row in self.rows]
        widths = [
            max(len(cell) for cell in column)
            for column in zip(*map(self._full, lines), strict=True)
        ]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            for line in map(self._full, lines)
        )

    def html(self) -> str:
        """Return a table."""
        head = "".join(f"<th>{escape(each)}</th>" for each in self.titles)
        rows = "".join(row.html(len(self.titles) - 1) for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def _full(self, line: tuple[str, ...]) -> tuple[str, ...]:
        return (*line, *[""] * (len(self.titles) - len(line)))


class Shown(Protocol):
    """An object that shows itself."""

    def _repr_mimebundle_(self, **_: object) -> Bundle: ...


def bundle(*parts: Text | Table | Shown) -> Bundle:
    """Return the forms of an object that has these parts, one below the other.

    Source: `_repr_mimebundle_` of IPython, which Jupyter, VS Code and marimo ask for.
    """
    forms = list(map(_forms, parts))
    return {
        "text/plain": "\n\n".join(each["text/plain"] for each in forms),
        "text/html": "".join(each["text/html"] for each in forms),
    }


def _forms(part: Text | Table | Shown) -> Bundle:
    if isinstance(part, (Text, Table)):
        return {"text/plain": part.plain(), "text/html": part.html()}
    return part._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage] - named by IPython


def _diff_line(line: str) -> str:
    color = _COLORS.get(line[:1])
    return f'<span style="color:{color}">{escape(line)}</span>' if color else escape(line)
