"""Pictures of a pipeline: rows in the order in which they run, as a tree of text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from passel.builder.sequence import Group, Nest, Step, is_block, is_stage
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.origin import Origin
    from passel.builder.rules import Rules
    from passel.builder.sequence import Node


class Row(NamedTuple):
    """A pass, or something with passes in it.

    Attributes:
        kind: `pass`, `nest`, `stage` or `bundle`.
        text: What it is.
        label: Its label.
        frame: The lines of a tree in front of it.
        end: The number of the first row after it and what is in it.
        notes: What else is known of it.
    """

    kind: str
    text: str
    label: str
    frame: str
    end: int
    notes: tuple[str, ...]


class Arc(NamedTuple):
    """A constraint between two passes.

    Attributes:
        subject: The row that it holds for.
        target: The row that it relates that to.
        text: The constraint.
    """

    subject: int
    target: int
    text: str


class Picture(NamedTuple):
    """The picture of a pipeline.

    Attributes:
        rows: The first is the pipeline itself.
        intervals: The types of its passes, in the order of their first passes, with the rows of
            these.
        arcs: Its constraints.
    """

    rows: list[Row]
    intervals: dict[str, list[int]]
    arcs: list[Arc]


def picture_of(root: Nest, rules: Rules) -> Picture:
    """Return what is drawn of a pipeline.

    Args:
        root: The outermost of its pipelines.
        rules: Knows its steps, and their constraints.
    """
    rows: list[Row] = []
    places: dict[Step, int] = {}
    _add_row(root, rows, places)
    intervals: dict[str, list[int]] = {}
    for step, place in places.items():
        for each in rules.types_of(step):
            if each != UNKNOWN:
                intervals.setdefault(each.name, []).append(place)
    return Picture(rows, intervals, list(_arcs(rules, places)))


def _add_row(
    item: Node,
    rows: list[Row],
    places: dict[Step, int],
    frame: str = "",
    margin: str = "",
    *notes: str,
) -> None:
    """Add a row for an item, and rows for what is in it."""
    place = len(rows)
    notes = (*notes, *_notes(item))
    if isinstance(item, Step):
        places[item] = place
        rows.append(Row("pass", str(item.pass_), item.label, frame, place + 1, notes))
        return
    kind = "nest" if isinstance(item, Nest) else "bundle" if item.is_closed else "stage"
    text = item.anchor if isinstance(item, Nest) else item.name
    rows.append(Row(kind, text, item.label, frame, place, notes))
    by_default = isinstance(item, Group) and item.is_by_default
    shown = [each for each in item.items if not _is_empty_edge(each)]
    for each in shown:
        tip, below = ("└─ ", "   ") if each is shown[-1] else ("├─ ", "│  ")
        note = ("by default",) if by_default else ()
        _add_row(each, rows, places, margin + tip, margin + below, *note)
    rows[place] = rows[place]._replace(end=len(rows))


def _is_empty_edge(item: Node) -> bool:
    """Return whether an item is the part before or after a stage, and nothing is in it."""
    return isinstance(item, Group) and not item.items and item.name.startswith(("pre_", "post_"))


def _notes(item: Node) -> Iterator[str]:
    if is_stage(item) and not item.items:
        yield "empty"
        if item.is_required:
            yield "required"
    if isinstance(item, Step) and not is_block(item.parent):
        yield from (f"bundle {use.bundle.name}" for use in item.bundles)
    if item.origin.extension:
        yield _by(item.origin)


def _by(origin: Origin) -> str:
    where = f" ({Path(origin.file).name}:{origin.line})" if origin.file else ""
    return f"by {origin.extension}{where}"


def _arcs(rules: Rules, places: dict[Step, int]) -> Iterator[Arc]:
    for rule, step in rules.all():
        for target in rule.constraint.targets:
            others = [places[each] for each in rules.find(target) if each is not step]
            if step in places and others:
                subject = places[step]
                nearest = min(others, key=lambda row, subject=subject: abs(row - subject))
                yield Arc(subject, nearest, str(rule.constraint))


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
    rows, intervals = picture.rows, picture.intervals
    lines = list(map(_line, rows))
    width = max(sum(len(piece.text) for piece in line) for line in lines)
    letters = [chr(ord("a") + index % 26) for index in range(len(intervals))]
    for index, (line, row) in enumerate(zip(lines, rows, strict=True)):
        marks = [_mark(index, places) for places in intervals.values()] if index else letters
        used = sum(len(piece.text) for piece in line)
        notes = ", ".join(row.notes)
        if marks or notes:
            line.append(Piece(" " * (width - used), "frame"))
            line.append(
                Piece("".join(f" {mark}" for mark in ["", *marks]) if marks else "", "type")
            )
            line.append(Piece(f"  {notes}" if notes else "", "note"))
        yield line
    if intervals:
        yield []
    for letter, (name, places) in zip(letters, intervals.items(), strict=True):
        first, last = (rows[places[end]].label or rows[places[end]].text for end in (0, -1))
        reach = f"'{first}'" if first == last else f"'{first}' to '{last}'"
        yield [Piece(f"{letter} {name}", "type"), Piece(f": {reach}", "note")]
    if picture.arcs:
        yield []
    for arc in picture.arcs:
        yield [Piece(f"'{rows[arc.subject].label}'", "pass"), Piece(f" {arc.text}", "note")]


def _line(row: Row) -> list[Piece]:
    name, brace, options = row.text.partition("{")
    title = f"{row.kind} {name}" if row.kind in {"stage", "bundle"} else name
    return [Piece(row.frame, "frame"), Piece(title, row.kind), Piece(brace + options, "options")]


def _mark(row: int, places: list[int]) -> str:
    """Return what stands in a row for the interval of a type."""
    if row in places:
        return "●"
    return "│" if places[0] < row < places[-1] else " "
