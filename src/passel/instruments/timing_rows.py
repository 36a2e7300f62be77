"""Rows of timing while it measures: a tree for each thread."""

from __future__ import annotations

from typing import Any, TypeAlias

from passel.instruments.timer import Key, Timer


class Row:
    """A row of the tree of one thread.

    Attributes:
        nested: The rows inside by whatever is run, for speed: the steps of a pipeline that a
            pass builds anew for each op are other objects, but the same rows.
        rows: The rows inside by key.
        extra: By how much the user time exceeds the wall time.
    """

    __slots__ = (
        *("above", "count", "extra", "hidden", "key", "name", "nested", "path", "rows"),
        "wall",
    )

    def __init__(
        self, name: str, key: Key = (), path: str = "", *, hidden: bool = False, above: Row | None
    ) -> None:
        self.name = name
        self.key = key
        self.path = path
        self.hidden = hidden
        self.above = above
        self.wall: float = 0.0
        self.extra: float = 0.0
        self.count: int = 0
        self.nested: dict[Any, Row] = {}
        self.rows: dict[Key, Row] = {}

    def child(self, name: str, key: Key, path: str, *, hidden: bool) -> Row:
        """Return the row with a key, a new one if there is none."""
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = Row(name, key, path, hidden=hidden, above=self)
        return row

    def add(self, timer: Timer) -> None:
        """Add the nested rows of what was measured elsewhere, and is over."""
        for child in timer.children:
            row = self.child(child.name, child.key, child.path, hidden=child.hidden)
            row.wall += child.wall
            row.extra += child.user - child.wall
            row.count += child.count
            row.add(child)

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


# What is open on a thread: what has opened it, its row, and when; outermost first. The first
# is never closed, and holds the thread's tree.
Frames: TypeAlias = "list[tuple[Any, Row, float]]"


class Threads(dict[int, Frames]):
    """The open rows of each thread, by its identity."""

    def __missing__(self, ident: int) -> Frames:
        self[ident] = frames = [(None, Row("root", above=None), 0.0)]
        return frames
