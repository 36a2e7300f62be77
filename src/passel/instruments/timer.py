"""Timers: the tree that timing has measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator


Key: TypeAlias = tuple[str, ...]
"""The identity of a row among its siblings."""


@dataclass(slots=True, eq=False)
class Timer:
    """One row of a timing report: how often something ran, and what that took.

    Times are in seconds and include what is nested. With several threads, `wall` is the
    time of the slowest and `user` the sum of all; with one they are equal.

    Attributes:
        name: As in the report: `CSE`, `'func.func' Pipeline`, `(A) DominanceInfo`, `Parser`.
        path: Where it stands in the schedule, if it is a pass, such as
            `builtin.module/func.func/1:cse`, or a pipeline; otherwise empty.
        wall: Elapsed time.
        user: Elapsed time, summed over threads, with the processor time of worker processes.
        count: How often it ran.
        hidden: Whether a tree shows its children in its place, because it is a collection of
            only one pipeline.
        key: Its identity among its siblings: a kind, and a path or a name.
        children: What is nested, in the order in which it ran first.

    Example:
        >>> tree = Timer("root", children=[Timer("CSE", wall=0.5), Timer("CSE", wall=0.25)])
        >>> sum(timer.wall for timer in tree.walk())
        0.75
    """

    name: str
    path: str = ""
    wall: float = 0.0
    user: float = 0.0
    count: int = 0
    hidden: bool = False
    key: Key = field(default=(), repr=False)
    children: list[Self] = field(default_factory=list[Self])

    @property
    def self_wall(self) -> float:
        """The elapsed time in seconds without that of the children."""
        return max(0.0, self.wall - sum(child.wall for child in self.children))

    def add(self, seconds: float) -> None:
        """Add a time for which it was measured."""
        self.wall += seconds
        self.user += seconds
        self.count += 1

    def add_user(self, seconds: float) -> None:
        """Add what others took meanwhile."""
        self.user += seconds

    def walk(self) -> Iterator[Timer]:
        """Yield this timer and all that are nested, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, name: str) -> Timer | None:
        """Return the first timer with a name, or a path, in the order of `walk`; or None."""
        return next((timer for timer in self.walk() if name in (timer.name, timer.path)), None)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the tree with times, in notebooks."""
        from passel.notebooks import Table, TableRow, bundle  # noqa: PLC0415 - for notebooks alone

        def rows(timer: Timer, depth: int) -> Iterator[TableRow]:
            share = f"{100 * timer.wall / self.wall:.1f} %" if self.wall else ""
            times = (f"{1000 * seconds:.2f}" for seconds in (timer.wall, timer.self_wall))
            if not timer.hidden:
                yield TableRow(
                    depth, timer.name if depth else "Total", (timer.count or "", *times, share)
                )
            for child in timer.children:
                yield from rows(child, depth + (not timer.hidden))

        return bundle(Table(("", "runs", "ms", "own ms", ""), list(rows(self, 0))))

    def child(self, name: str, key: Key, path: str, *, hidden: bool) -> Self:
        """Return the nested timer with a key, a new one if there is none."""
        for each in self.children:
            if each.key == key:
                return each
        new = type(self)(name, path, hidden=hidden, key=key)
        self.children.append(new)
        return new

    def absorb(self, other: Timer, *, at_once: bool = True) -> None:
        """Add the times that were measured elsewhere, and those of what is nested.

        Args:
            other: What was measured.
            at_once: Whether it was measured at the same time, so that the longer wall time counts.
        """
        self.wall = max(self.wall, other.wall) if at_once else self.wall + other.wall
        self.user += other.user
        self.count += other.count
        self.absorb_children(other, at_once=at_once)

    def absorb_children(self, other: Timer, *, at_once: bool = True) -> None:
        """Add what is nested alone: children with equal keys are one, new ones come last."""
        for each in other.children:
            mine = self.child(each.name, each.key, each.path, hidden=each.hidden)
            mine.absorb(each, at_once=at_once)
