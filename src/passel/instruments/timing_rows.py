"""Rows of timing while it measures: a tree for each thread."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from passel.instruments.timer import Key, Timer


class Row:
    """A row of the tree of one thread.

    Attributes:
        nested: The rows inside by whatever is run, for speed: the steps of a pipeline that a
            pass builds anew for each op are other objects, but the same rows.
        rows: The rows inside by key.
        extra: By how much the user time exceeds the wall time.
        merged: What was measured elsewhere while the row was measured, all at the same time.
    """

    __slots__ = (
        *("count", "extra", "hidden", "key", "merged", "name", "nested", "path", "rows"),
        "wall",
    )

    def __init__(self, name: str, key: Key = (), path: str = "", *, hidden: bool = False) -> None:
        self.name = name
        self.key = key
        self.path = path
        self.hidden = hidden
        self.wall: float = 0.0
        self.extra: float = 0.0
        self.count: int = 0
        self.merged: Timer | None = None
        self.nested: dict[Any, Row] = {}
        self.rows: dict[Key, Row] = {}

    def child(self, name: str, key: Key, path: str, *, hidden: bool) -> Row:
        """Return the row with a key, a new one if there is none."""
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = Row(name, key, path, hidden=hidden)
        return row

    def add(self, timer: Timer) -> None:
        """Add the nested rows of what was measured elsewhere, and is over."""
        for child in timer.children:
            row = self.child(child.name, child.key, child.path, hidden=child.hidden)
            row.wall += child.wall
            row.extra += child.user - child.wall
            row.count += child.count
            row.add(child)

    def merge(self, root: Timer) -> None:
        """Take note of what was measured elsewhere meanwhile."""
        if self.merged is None:
            self.merged = root
        else:
            self.merged.absorb(root)

    def stop(self, seconds: float) -> None:
        """Add a time for which the row was measured, with what was merged meanwhile."""
        self.wall += seconds
        self.count += 1
        if self.merged is not None:
            self.add(self.merged)
            self.merged = None

    def timer(self) -> Timer:
        """Return the row as it is now, with all that are nested."""
        children = [row.timer() for row in list(self.rows.values())]
        return Timer(
            name=self.name,
            path=self.path,
            wall=self.wall,
            user=self.wall + self.extra,
            count=self.count,
            hidden=self.hidden,
            key=self.key,
            children=children,
        )


class ThreadTimer:
    """The tree of one thread while it measures.

    Attributes:
        root: Its root.
        row: The innermost row that is measured now; the root if there is none.
        running: How many enclosing `with` statements measure the total time.
    """

    def __init__(self) -> None:
        self.root = self.row = Row("root")
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
