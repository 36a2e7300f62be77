"""The tree of timers, and the layouts of timing reports.

Source: `OutputTextStrategy` and `OutputJsonStrategy` in `mlir/lib/Support/Timing.cpp`, MLIR 22.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Display: TypeAlias = Literal["tree", "list"]
"""The layouts of the report."""

_WIDTH = 80
_BAR = f"==={'-' * 73}==="

Key: TypeAlias = tuple[str, ...]
"""The identity of a row among its siblings."""


@dataclass(slots=True, eq=False)
class Timer:
    """A timer, which is a row of a timing report.

    Times are in seconds and include nested rows. With several threads, `wall` is the time of the
    slowest thread, and `user` is the sum over all threads. With a single thread, `wall` and `user`
    are equal.

    Attributes:
        name: The name of the row, such as `CSE`, `'func.func' Pipeline` or `(A) DominanceInfo`.
        path: The path in the schedule, such as `builtin.module/func.func/1:cse`; empty if the row
            is not for a pass or a pipeline.
        wall: The elapsed time.
        user: The elapsed time, summed over threads and worker processes.
        count: The number of measurements that the row sums up.
        hidden: Whether the report shows the children in place of this row. Rows of pipeline
            collections that contain a single pipeline are hidden.
        key: The kind of the row, followed by names or paths. Siblings have different keys.
        children: The nested rows, in the order in which they first ran.

    Example:
        >>> tree = Timer("root", children=[Timer("CSE", wall=0.5), Timer("CSE", wall=0.25)])
        >>> sum(timer.wall for timer in tree.walk())
        0.75

    Printing a timer prints the tree in the format of `--mlir-timing`.
    """

    name: str
    path: str = ""
    wall: float = 0.0
    user: float = 0.0
    count: int = 0
    hidden: bool = False
    key: Key = field(default=(), repr=False)
    children: list[Timer] = field(default_factory=list["Timer"])

    def __str__(self) -> str:
        """Return the text of the timing report for this tree."""
        return timing_report(self)

    def walk(self) -> Iterator[Timer]:
        """Yield this timer and all nested timers, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, name: str) -> Timer | None:
        """Return the first timer whose name or path is `name`.

        Timers are searched in the order of `walk`. If no timer matches, the method returns None.
        """
        return next((timer for timer in self.walk() if name in (timer.name, timer.path)), None)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the report, in notebooks."""
        return {"text/plain": str(self)}

    def child(self, like: Timer) -> Timer:
        """Return the child with the key of `like`. If no child has this key, add one first."""
        for each in self.children:
            if each.key == like.key:
                return each
        new = Timer(like.name, like.path, hidden=like.hidden, key=like.key)
        self.children.append(new)
        return new

    def absorb(self, other: Timer, *, at_once: bool = True) -> None:
        """Add the times of another timer and of all its nested rows to this timer.

        Args:
            other: The timer to add.
            at_once: Whether the timers ran in parallel, so that only the longer wall time counts.
        """
        self.wall = max(self.wall, other.wall) if at_once else self.wall + other.wall
        self.user += other.user
        self.count += other.count
        self.absorb_children(other, at_once=at_once)

    def absorb_children(self, other: Timer, *, at_once: bool = True) -> None:
        """Add the nested rows of another timer, merging children with equal keys."""
        for each in other.children:
            self.child(each).absorb(each, at_once=at_once)


# -- The report ----------------------------------------------------------------------------------


def header(title: str) -> str:
    """Return the three header lines of a timing or statistics report.

    Source: `printPassStatistics` and `OutputTextStrategy::printHeader`, MLIR 22.
    """
    centred = f"... {title} ..."
    return f"{_BAR}\n{' ' * ((_WIDTH - len(centred)) // 2)}{centred}\n{_BAR}\n"


def timing_report(
    root: Timer,
    *,
    display: Display = "tree",
    output_format: Literal["text", "json"] = "text",
) -> str:
    """Return the timing report for a tree of timers as text or JSON.

    Args:
        root: The root of the tree. The times of the root are the totals.
        display: The layout of the report. `tree` nests the rows. `list` has a row for each name,
            sorted by time.
        output_format: Whether the report is text or JSON. The JSON output is an array of rows. In
            the layout `tree`, the array `passes` of a row contains the nested rows, and ends with
            an empty object. Times are in seconds, and the user time is always included.

    Example:
        >>> tree = Timer("root", wall=2.0, user=2.0, children=[Timer("CSE", wall=1.5)])
        >>> print(timing_report(tree), end="")
        ===-------------------------------------------------------------------------===
                                 ... Execution time report ...
        ===-------------------------------------------------------------------------===
          Total Execution Time: 2.0000 seconds
        <BLANKLINE>
          ----Wall Time----  ----Name----
            1.5000 ( 75.0%)  CSE
            0.5000 ( 25.0%)  Rest
            2.0000 (100.0%)  Total
    """
    nests = display == "tree"
    measured = list(_shown(root.children)) if nests else root.children
    rows = _merged(root) if display == "list" else measured
    wall = root.wall - sum(each.wall for each in measured)
    user = root.user - sum(each.user for each in measured)
    rest = Timer("Rest", wall=max(0.0, wall), user=max(0.0, user))
    last = rest, Timer("Total", wall=root.wall, user=root.user)
    parts = (
        _json(root, rows, last, nests=nests) if output_format == "json" else _text(root, rows, last)
    )
    return "".join(parts)


def _text(root: Timer, rows: Iterable[Timer], last: Iterable[Timer]) -> Iterator[str]:
    """Yield the parts of a report as text; with user times if they differ from wall times."""
    yield header("Execution time report")
    yield f"  Total Execution Time: {root.wall:.4f} seconds\n\n"
    has_user = root.user != root.wall
    yield "  ----User Time----" if has_user else ""
    yield "  ----Wall Time----  ----Name----\n"
    for depth, row in chain(_walk(rows), ((0, row) for row in last)):
        for seconds, share in _cells(root, row)[not has_user :]:
            yield f"  {seconds:8.4f} ({share:5.1f}%)"
        yield f"  {'  ' * depth}{row.name}\n"


def _json(
    root: Timer, rows: Iterable[Timer], last: Iterable[Timer], *, nests: bool
) -> Iterator[str]:
    """Yield the parts of a report as JSON."""
    yield "[\n"
    yield from _json_rows(root, rows, "" if nests else None)
    yield ",\n".join(f"{{{_fields(root, row)}}}" for row in last)
    yield "\n]\n"


def _json_rows(root: Timer, rows: Iterable[Timer], indent: str | None) -> Iterator[str]:
    """Yield rows as JSON, with nested rows if there is an indentation."""
    for row in rows:
        if indent is None:
            yield f"{{{_fields(root, row)}}},\n"
        else:
            yield f'{indent}{{{_fields(root, row)}, "passes": [\n'
            yield from _json_rows(root, _shown(row.children), f"{indent}  ")
            yield f"{indent}{{}}]}},\n"


def _fields(root: Timer, row: Timer) -> str:
    times = (
        f'"{name}": {{"duration": {seconds:8.4f}, "percentage": {share:5.1f}}}'
        for name, (seconds, share) in zip(("user", "wall"), _cells(root, row), strict=True)
    )
    return ", ".join([*times, f'"name": {json.dumps(row.name)}'])


def _cells(root: Timer, row: Timer) -> list[tuple[float, float]]:
    """Return the user time and the wall time of a row, each with its percentage."""
    pairs = (row.user, root.user), (row.wall, root.wall)
    return [(seconds, 100 * seconds / total if total else 0.0) for seconds, total in pairs]


def _walk(rows: Iterable[Timer], depth: int = 0) -> Iterator[tuple[int, Timer]]:
    for row in rows:
        yield depth, row
        yield from _walk(_shown(row.children), depth + 1)


def _shown(rows: Iterable[Timer]) -> Iterator[Timer]:
    """Yield rows, with the children of a hidden row in its place."""
    for row in rows:
        if row.hidden:
            yield from _shown(row.children)
        else:
            yield row


def _merged(root: Timer) -> list[Timer]:
    """Return one row for each name, sorted by wall time."""
    rows: dict[str, Timer] = {}
    for timer in root.walk():
        row = rows.setdefault(timer.name, Timer(timer.name))
        row.wall += timer.wall
        row.user += timer.user
    return sorted(rows.values(), key=lambda row: -row.wall)
