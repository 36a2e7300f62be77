"""The picture of a pipeline: rows in the order in which they run, intervals, arcs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from passel.builder.constraints import FollowedBy
from passel.builder.sequence import Group, Nest, Step
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.builder.origin import Origin
    from passel.builder.rules import Rule
    from passel.builder.sequence import Node
    from passel.builder.targets import Target
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
