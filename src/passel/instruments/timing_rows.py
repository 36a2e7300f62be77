"""Rows of timing while it measures: a tree for each thread."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from threading import get_ident
from time import perf_counter, process_time
from typing import Any, TypeAlias

from passel.instruments.timer import Timer

Worker: TypeAlias = tuple[bytes, int, int]
"""The identity of a thread of a process, of any machine."""

_ORIGIN = os.urandom(8)  # forked processes have it from one, which may be on another machine


def this_worker() -> Worker:
    """Return the identity of this thread."""
    return _ORIGIN, os.getpid(), get_ident()


@dataclass(slots=True, eq=False)
class Row(Timer):
    """A row of the tree of one thread.

    Attributes:
        nested: The rows inside by whatever is run, for speed: the steps of a pipeline that a
            pass builds anew for each op are other objects, but the same rows.
        mark: The time until which it is known what this thread did in it.
        waited: For how long this thread has waited for others, since it is measured.
        workers: The trees of these others.
        added: The user time of others that is to be added to it, less the time of waiting for them.
    """

    nested: dict[Any, Row] = field(default_factory=dict[Any, "Row"])
    mark: float = 0.0
    waited: float = 0.0
    workers: dict[Worker, Timer] = field(default_factory=dict[Worker, Timer])
    added: float = 0.0

    def stop(self, seconds: float, above: Row | None = None) -> None:
        """Add a time for which the row was measured, and the user time of others to all above."""
        self.add(seconds)
        if self.workers:
            self._take_workers()
        if self.added:
            self.add_user(self.added)
            if above is not None:
                above.added += self.added
            self.added = 0.0

    def merge(self, worker: Worker, measured: Timer) -> None:
        """Take over what a worker has measured, for which this thread has waited until now."""
        self.workers.setdefault(worker, Timer("root")).absorb(measured, at_once=False)
        now = perf_counter()
        self.waited += now - self.mark
        self.mark = now

    def _take_workers(self) -> None:
        """Add rows of workers: the wall time of the slowest, and the user time of all."""
        slowest, everyone = 0.0, Timer("root")
        for tree in self.workers.values():
            slowest = max(slowest, sum(each.wall for each in tree.children))
            everyone.absorb(tree)
        if slowest > self.waited:  # this thread has worked as well
            for timer in everyone.walk():
                timer.wall *= self.waited / slowest
        self.absorb_children(everyone, at_once=False)
        waiting = self.child("Waiting for workers", ("waiting",), "", hidden=False)
        waiting.wall += max(0.0, self.waited - slowest)
        waiting.count += 1
        self.added += sum(each.user for each in everyone.children) - self.waited
        self.waited = 0.0
        self.workers.clear()


class ThreadTimer:
    """The tree of one thread while it measures.

    Attributes:
        root: Its root.
        row: The innermost row that is measured now; the root if there is none.
        open: The rows around those that are measured now, each with the time at which that began.
        running: How many enclosing `with` statements measure the total time.
    """

    def __init__(self) -> None:
        self.root: Row = Row("root")
        self.row: Row = self.root
        self.open: list[tuple[Row, float]] = []
        self.running: int = 0
        self._start = 0.0
        self._begun = perf_counter(), process_time()

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

    def processor_share(self) -> float:
        """Return the part of the time since it began for which this process had a processor."""
        elapsed, used = perf_counter() - self._begun[0], process_time() - self._begun[1]
        return min(1.0, used / elapsed) if elapsed else 1.0
