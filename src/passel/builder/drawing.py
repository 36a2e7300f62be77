"""Pictures of a pipeline: rows in the order in which they run, as a tree of text or for Mermaid."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from passel.builder.sequence import Group, Nest, Step
from passel.contracts.constraints import FollowedBy
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from passel.builder.sequence import Node
    from passel.contracts.origin import Origin
    from passel.contracts.rules import Rule
    from passel.contracts.targets import Target
    from passel.passes.pass_type import PassType


class Row(NamedTuple):
    """A pass, or something with passes in it.

    Attributes:
        kind: `pass`, `nest`, `stage` or `bundle`.
        text: What it is.
        label: Its label.
        depth: The number of enclosing rows.
        end: The number of the first row after it and what is in it.
        notes: What else is known of it.
        types: The parts that it plays.
        enabled: Whether it is built.
    """

    kind: str
    text: str
    label: str
    depth: int
    end: int
    notes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    enabled: bool = True


class Interval(NamedTuple):
    """From the first pass of a type to the last.

    Attributes:
        name: The type.
        rows: The rows of its passes, in order.
    """

    name: str
    rows: tuple[int, ...]


class Arc(NamedTuple):
    """A constraint between two passes.

    Attributes:
        subject: The row that it holds for.
        target: The row that it relates that to.
        text: The constraint.
        strong: Whether a pipeline that breaks it is refused.
    """

    subject: int
    target: int
    text: str
    strong: bool


class Picture(NamedTuple):
    """The picture of a pipeline.

    Attributes:
        rows: The first is the pipeline itself.
        intervals: The types of its passes, in the order of their first passes.
        arcs: Its constraints.
    """

    rows: tuple[Row, ...]
    intervals: tuple[Interval, ...]
    arcs: tuple[Arc, ...]

    def passes(self) -> Iterator[tuple[int, Row]]:
        """Yield the passes with the numbers of their rows."""
        return ((index, row) for index, row in enumerate(self.rows) if row.kind == "pass")


class Known(Protocol):
    """Answers of a builder about its steps."""

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the parts that a step plays."""
        ...

    def constraints(self) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints that are in force, with the steps that each holds for."""
        ...

    def find(self, target: Target) -> tuple[Step, ...]:
        """Return the steps that a target stands for."""
        ...


def picture_of(root: Nest, builder: Known) -> Picture:
    """Return what is drawn of a builder.

    Args:
        root: The outermost of its pipelines.
        builder: What it knows of its steps.
    """
    collector = _Collector(builder)
    collector.add(root, 0, "nest", root.anchor)
    rows = tuple(collector.rows)
    intervals: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        for name in row.types:
            intervals.setdefault(name, []).append(index)
    shown = tuple(Interval(name, tuple(members)) for name, members in intervals.items())
    return Picture(rows, shown, tuple(_arcs(builder, collector.places)))


class _Collector:
    """Collects rows."""

    def __init__(self, builder: Known) -> None:
        self._builder = builder
        self.rows: list[Row] = []
        self.places: dict[int, int] = {}

    def add(
        self, item: Node, depth: int, kind: str, text: str, notes: tuple[str, ...] = ()
    ) -> None:
        """Add a row for an item, and rows for what is in it."""
        place = len(self.rows)
        row = Row(kind, text, item.label, depth, place + 1, (*notes, *_notes(item)))
        if isinstance(item, Step):
            self.places[id(item)] = place
            types = tuple(t.name for t in self._builder.types_of(item) if t != UNKNOWN)
            self.rows.append(row._replace(types=types, enabled=item.enabled))
            return
        self.rows.append(row)
        self._add_all(item.items, depth + 1)
        self.rows[place] = row._replace(end=len(self.rows))

    def _add_all(self, items: Iterable[Node], depth: int, *notes: str) -> None:
        for item in items:
            if isinstance(item, Step):
                self.add(item, depth, "pass", str(item.pass_), notes)
            elif isinstance(item, Nest):
                self.add(item, depth, "nest", item.anchor, notes)
            elif item.is_closed:
                self.add(item, depth, "bundle", item.name, notes)
            else:
                self._stage(item, depth)

    def _stage(self, group: Group, depth: int) -> None:
        if group.items or not group.name.startswith(("pre_", "post_")):
            place = len(self.rows)
            status = [] if group.items or group.default else ["empty"]
            status += ["required"] if group.is_required and status else []
            row = Row("stage", group.name, group.label, depth, place + 1, tuple(status))
            self.rows.append(row)
            self._add_all(group.items or group.default, depth + 1, *_by_default(group))
            self.rows[place] = row._replace(end=len(self.rows))


def _by_default(group: Group) -> tuple[str, ...]:
    return () if group.items else ("by default",)


def _notes(item: Node) -> Iterator[str]:
    for condition in item.conditions:
        name = getattr(condition, "__qualname__", condition)
        yield f"if {name}"
    if isinstance(item, Step):
        if not item.enabled:
            yield "disabled"
        closed = item.parent
        for use in item.bundles:
            if not (isinstance(closed, Group) and closed.is_closed):
                yield f"bundle {use.bundle.name}"
        if item.is_placed:
            yield "placed"
    if item.origin.extension:
        yield _by(item.origin)


def _by(origin: Origin) -> str:
    where = f" ({Path(origin.file).name}:{origin.line})" if origin.file else ""
    return f"by {origin.extension}{where}"


def _arcs(builder: Known, places: dict[int, int]) -> Iterator[Arc]:
    for rule, step in builder.constraints():
        subject = places.get(id(step), -1)
        for target in rule.constraint.targets:
            others = [places[id(s)] for s in builder.find(target) if s is not step]
            if subject < 0 or not others:
                continue
            nearest = min(others, key=lambda row: abs(row - subject))
            strong = not isinstance(rule.constraint, FollowedBy)
            yield Arc(subject, nearest, str(rule.constraint), strong)


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


# Of Okabe and Ito, told apart also by those who do not see all colours; without yellow and black.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F", "#882255")
_ESCAPES = str.maketrans({'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "`": "#96;"})


def to_mermaid(picture: Picture) -> str:
    """Return a picture as a flowchart of Mermaid."""
    return "\n".join(["flowchart TB", *_boxes(picture), *_links(picture)]) + "\n"


def _boxes(picture: Picture) -> Iterator[str]:
    open_until: list[int] = []
    for index, row in enumerate(picture.rows):
        while open_until and open_until[-1] <= index:
            open_until.pop()
            yield f"{'  ' * (len(open_until) + 1)}end"
        margin = "  " * (len(open_until) + 1)
        lines = [row.text if row.kind in {"pass", "nest"} else f"{row.kind} {row.text}"]
        lines += [", ".join(row.notes)] if row.notes else []
        text = "<br/>".join(line.translate(_ESCAPES) for line in lines)
        if row.kind == "pass" or row.end == index + 1:
            yield f'{margin}r{index}["{text}"]'
        else:
            yield f'{margin}subgraph r{index}["{text}"]'
            yield f"{margin}  direction TB"
            open_until.append(row.end)
    while open_until:
        open_until.pop()
        yield f"{'  ' * (len(open_until) + 1)}end"


def _links(picture: Picture) -> Iterator[str]:
    for (first, _), (second, _) in pairwise(picture.passes()):
        yield f"  r{first} --> r{second}"
    for arc in picture.arcs:
        text = arc.text.translate(_ESCAPES)
        yield f'  r{arc.subject} -. "{text}" .-> r{arc.target}'
    for number, interval in enumerate(picture.intervals):
        name = interval.name.translate(_ESCAPES)
        members = ",".join(f"r{row}" for row in interval.rows)
        yield f"  classDef t{number} stroke:{_COLORS[number % len(_COLORS)]},stroke-width:3px"
        yield f"  %% {name}"
        yield f"  class {members} t{number}"


Form: TypeAlias = Literal["tree", "mermaid"]
"""A form in which a pipeline can be drawn."""

FORMS: dict[str, Callable[[Picture], str]] = {
    "tree": to_tree,
    "mermaid": to_mermaid,
}
"""The functions that draw each form."""
