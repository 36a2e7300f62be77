"""The layouts of the timing report.

Source: `OutputTextStrategy` and `OutputJsonStrategy` in `mlir/lib/Support/Timing.cpp`, MLIR 22.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, TypeAlias

from passel.instruments.report import header
from passel.instruments.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from passel.instruments.events import PassExecution

Display: TypeAlias = Literal["tree", "list", "ops"]
"""The layouts of the report."""

_MOST_PAIRS = 20
"""How many pairs of a pass and an op a report shows."""

_TITLES = {
    "user": "----User Time----",
    "wall": "----Wall Time----",
}


def timing_report(
    root: Timer,
    *,
    display: Display = "tree",
    output_format: Literal["text", "json"] = "text",
) -> str:
    """Return the report of a tree of timers.

    Args:
        root: The tree; its times are the totals.
        display: A tree, a list of all names, sorted by time, or what is right below the root.
        output_format: Text, or JSON: an array of rows, those nested in a row's `passes`, where
            an empty object ends each array. Durations are in seconds.

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
    columns = ("wall",) if root.user == root.wall else ("user", "wall")
    layout = _JsonReport if output_format == "json" else _TextReport
    rows = _merged(root) if display == "list" else root.children
    lines = layout(root, columns, nested=display == "tree").lines(rows)
    return "".join(lines)


def slowest(pairs: Mapping[PassExecution, float]) -> Iterator[Timer]:
    """Yield rows for the slowest pairs of a pass and an op, and one for all others.

    Args:
        pairs: The seconds of each.
    """
    rows = sorted(pairs.items(), key=lambda pair: -pair[1])
    for execution, seconds in rows[:_MOST_PAIRS]:
        symbols = "::".join(f"@{op.symbol}" for op in execution.ops if op.symbol is not None)
        number = f"#{execution.op.ordinal}" if execution.ops[1:] else ""
        which = " ".join(filter(None, (f"'{execution.op.name}'", symbols or number)))
        name = f"{execution.display_name} on {which} [{execution.path}]"
        yield Timer(name, execution.path, seconds, seconds)
    if others := [seconds for _, seconds in rows[_MOST_PAIRS:]]:
        yield Timer(f"{len(others)} others", "", sum(others), sum(others))


def _merged(root: Timer) -> list[Timer]:
    """Return one row for each name, sorted by wall time."""
    rows: dict[str, Timer] = {}
    for timer in root.walk():
        row = rows.setdefault(timer.name, Timer(timer.name))
        row.wall += timer.wall
        row.user += timer.user
        # All that is left of the timers inside: what is not theirs is this row's own.
        row.children.append(Timer("", wall=timer.wall - timer.self_wall))
    return sorted(rows.values(), key=lambda row: -row.wall)


def _shown(timers: Iterable[Timer]) -> Iterator[Timer]:
    """Yield the rows of a tree, with the nested rows in place of hidden ones."""
    for timer in timers:
        if timer.hidden:
            yield from _shown(timer.children)
        else:
            yield timer


class _Report:
    """A report of the chosen columns of a tree."""

    def __init__(self, root: Timer, columns: tuple[str, ...], *, nested: bool) -> None:
        self.root = root
        self.columns = columns
        self.nested = nested

    def percentage(self, column: str, seconds: float) -> float:
        total = self.root.user if column == "user" else self.root.wall
        return 100 * seconds / total if total else 0.0

    def seconds(self, column: str, row: Timer) -> float:
        return row.user if column == "user" else row.wall

    def rest(self) -> Timer:
        """Return the row of the time that is in no other one."""
        inner = list(_shown(self.root.children)) if self.nested else self.root.children
        wall = self.root.wall - sum(timer.wall for timer in inner)
        user = self.root.user - sum(timer.user for timer in inner)
        return Timer("Rest", wall=max(0.0, wall), user=max(0.0, user))

    def total(self) -> Timer:
        return Timer("Total", wall=self.root.wall, user=self.root.user)


class _TextReport(_Report):
    def lines(self, rows: Iterable[Timer]) -> Iterator[str]:
        yield header("Execution time report")
        yield f"  Total Execution Time: {self.root.wall:.4f} seconds\n\n"
        titles = [_TITLES[name] for name in self.columns]
        yield f"  {'  '.join(titles)}  ----Name----\n"
        for row in rows:
            yield from self._rows(row, 0)
        yield self._line(self.rest(), 0)
        yield self._line(self.total(), 0)

    def _rows(self, row: Timer, depth: int) -> Iterator[str]:
        shown = not (row.hidden and self.nested)
        if shown:
            yield self._line(row, depth)
        for child in row.children if self.nested else ():
            yield from self._rows(child, depth + shown)

    def _line(self, row: Timer, depth: int) -> str:
        cells = (f"  {self._cell(name, row)}" for name in self.columns)
        return f"{''.join(cells)}  {'  ' * depth}{row.name}\n"

    def _cell(self, column: str, row: Timer) -> str:
        seconds = self.seconds(column, row)
        return f"{seconds:8.4f} ({self.percentage(column, seconds):5.1f}%)"


class _JsonReport(_Report):
    def lines(self, rows: Iterable[Timer]) -> Iterator[str]:
        yield "[\n"
        for row in rows:
            yield from self._rows(row, "")
        yield f"{{{self._fields(self.rest())}}},\n"
        yield f"{{{self._fields(self.total())}}}\n"
        yield "]\n"

    def _rows(self, row: Timer, indent: str) -> Iterator[str]:
        if not self.nested:
            yield f"{{{self._fields(row)}}},\n"
            return
        deeper = indent
        if not row.hidden:
            yield f'{indent}{{{self._fields(row)}, "passes": [\n'
            deeper += "  "
        for child in row.children:
            yield from self._rows(child, deeper)
        if not row.hidden:
            yield f"{indent}{{}}]}},\n"

    def _fields(self, row: Timer) -> str:
        fields = [f'"{name}": {self._value(name, row)}' for name in self.columns]
        return ", ".join([*fields, f'"name": {json.dumps(row.name)}'])

    def _value(self, column: str, row: Timer) -> str:
        seconds = self.seconds(column, row)
        percentage = self.percentage(column, seconds)
        return f'{{"duration": {seconds:8.4f}, "percentage": {percentage:5.1f}}}'
