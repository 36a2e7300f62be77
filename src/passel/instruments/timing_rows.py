"""Rows of timing while it measures: a tree for each thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from passel.instruments.timer import Timer


@dataclass(slots=True, eq=False)
class Row(Timer):
    """A row of the tree of one thread.

    Attributes:
        nested: The rows inside by whatever is run, for speed: the steps of a pipeline that a
            pass builds anew for each op are other objects, but the same rows.
        merged: What was measured elsewhere while the row was measured, all at the same time.
    """

    nested: dict[Any, Row] = field(default_factory=dict[Any, "Row"])
    merged: Timer = field(default_factory=lambda: Timer("root"))

    def stop(self, seconds: float) -> None:
        """Add a time for which the row was measured, with what was merged meanwhile."""
        _count(self, seconds)
        if self.merged.children:
            self.add(self.merged)
            self.merged = Timer("root")

    def add(self, timer: Timer) -> None:
        """Add what is nested in what was measured elsewhere, and is over."""
        for each in timer.children:
            mine = self.child(each.name, each.key, each.path, hidden=each.hidden)
            mine.absorb(each, at_once=False)


def _count(timer: Timer, seconds: float) -> None:
    timer.wall += seconds
    timer.user += seconds
    timer.count += 1


class ThreadTimer:
    """The tree of one thread while it measures.

    Attributes:
        root: Its root.
        row: The innermost row that is measured now; the root if there is none.
        running: How many enclosing `with` statements measure the total time.
    """

    def __init__(self) -> None:
        self.root: Row = Row("root")
        self.row: Row = self.root
        self.running: int = 0
        self._start = 0.0

    def start(self) -> None:
        """Measure the total time, unless it is measured already."""
        if not self.running:
            self._start = perf_counter()
        self.running += 1

    def stop(self) -> None:
        """Measure it no more, unless it is measured by an enclosing `with` statement."""
        self.running -= 1
        if not self.running:
            self.root.stop(perf_counter() - self._start)
