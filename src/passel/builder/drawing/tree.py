"""A pipeline as a tree of text, with its types as columns beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.drawing.picture import Picture

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Piece(NamedTuple):
    """A part of a line.

    Attributes:
        text: The text.
        role: What it is: `frame`, `pass`, `options`, `nest`, `stage`, `bundle`, `note` or `type`.
    """

    text: str
    role: str


def to_tree(picture: Picture) -> str:
    """Return a picture as a tree of text."""
    lines = ("".join(piece.text for piece in line).rstrip() for line in tree_lines(picture))
    return "\n".join(lines) + "\n"


def tree_lines(picture: Picture) -> Iterator[list[Piece]]:
    """Yield the lines of the tree, in pieces that can be styled."""
    structure = list(_structure(picture))
    width = max(sum(len(piece.text) for piece in line) for line in structure)
    letters = [_LETTERS[index % len(_LETTERS)] for index in range(len(picture.intervals))]
    for index, line in enumerate(structure):
        row = picture.rows[index]
        columns = _columns(picture, index, letters if index == 0 else [])
        notes = ", ".join(row.notes)
        used = sum(len(piece.text) for piece in line)
        rest = [Piece(" " * (width - used), "frame"), *columns] if columns or notes else []
        yield [*line, *rest, Piece(f"  {notes}" if notes else "", "note")]
    if picture.intervals:
        yield []
    for letter, interval in zip(letters, picture.intervals, strict=True):
        ends = (picture.rows[interval.rows[i]] for i in (0, -1))
        first, last = (row.label or row.text for row in ends)
        reach = f"'{first}'" if first == last else f"'{first}' to '{last}'"
        yield [Piece(f"{letter} {interval.name}", "type"), Piece(f": {reach}", "note")]
    if picture.arcs:
        yield []
    for arc in picture.arcs:
        yield [
            Piece(f"'{picture.rows[arc.subject].label}'", "pass"),
            Piece(f" {arc.text}", "note"),
        ]


def _structure(picture: Picture) -> Iterator[list[Piece]]:
    rows = picture.rows
    for index, row in enumerate(rows):
        frame = ""
        enclosing = [parent for parent in range(index) if rows[parent].end > index]
        for parent in enclosing[1:]:
            frame += "   " if rows[parent].end == rows[_parent(picture, parent)].end else "│  "
        if enclosing:
            frame += "└─ " if row.end == rows[enclosing[-1]].end else "├─ "
        name, brace, options = row.text.partition("{")
        title = f"{row.kind} {name}" if row.kind in {"stage", "bundle"} else name
        yield [Piece(frame, "frame"), Piece(title, row.kind), Piece(brace + options, "options")]


def _parent(picture: Picture, index: int) -> int:
    return max(parent for parent in range(index) if picture.rows[parent].end > index)


def _columns(picture: Picture, index: int, header: list[str]) -> list[Piece]:
    if not picture.intervals:
        return []
    marks = header or [
        "●"
        if index in interval.rows
        else "│"
        if interval.rows[0] < index < interval.rows[-1]
        else " "
        for interval in picture.intervals
    ]
    return [Piece("  " + " ".join(marks), "type")]
