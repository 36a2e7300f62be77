"""Tables of passes, for one record or for the comparison of two records."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from passel.notebooks import Line, aligned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.record import Execution, Record, RunInfo


@dataclass(slots=True, eq=False)
class Row:
    """A table row for a pass or a nested pipeline.

    Attributes:
        depth: The nesting depth of the row.
        path: The path of the pass or pipeline.
        title: The textual form of the pass with its options, or the anchor of the pipeline.
        inside: The rows that are nested directly below this row.
        executions: The executions of the pass, on all ops.
    """

    depth: int
    path: str
    title: str
    inside: list[Row] = field(default_factory=list["Row"])
    executions: list[Execution] = field(default_factory=list["Execution"])

    @property
    def is_pass(self) -> bool:
        """Whether the row describes a pass rather than a nested pipeline."""
        return ":" in self.path.rpartition("/")[2]

    def walk(self) -> Iterator[Row]:
        """Yield this row and all rows nested below it, in the order of the pipeline."""
        yield self
        for row in self.inside:
            yield from row.walk()

    def count(self, status: str) -> int:
        """Return the number of executions with the given status."""
        return sum(each.status == status for each in self.executions)

    @property
    def counts(self) -> dict[str, int]:
        """A mapping from the name of each statistic of the pass to its sum over all executions."""
        sums: Counter[str] = Counter()
        for each in self.executions:
            sums.update(each.counts)
        return sums

    @property
    def total_time(self) -> float:
        """The sum of `total_time` over all executions, in seconds."""
        return sum(each.total_time for each in self.executions)

    @property
    def own_time(self) -> float:
        """The sum of `own_time` over all executions, in seconds."""
        return sum(each.own_time for each in self.executions)


def rows_of(record: Record, run: RunInfo | None = None) -> list[Row]:
    """Return the outermost rows of a run, or of all runs of a record.

    Args:
        record: The record.
        run: The run, whose nested runs on other IRs are included. None means all runs.
    """
    info = record.info
    inside = set(range(len(info.runs))) if run is None else {run.number}
    for each in info.runs:
        if each.outer in inside:
            inside.add(each.number)
    rows = {"": Row(-1, "", "")}
    for number in sorted(inside):
        for step in info.runs[number].steps:
            _row_at(step.path, rows, is_planned=True).title = step.title
    for each in record.executions:
        if each.run in inside:
            row = _row_at(each.path, rows)
            row.title = each.title
            row.executions.append(each)
    return rows[""].inside


def all_rows(rows: Iterable[Row]) -> list[Row]:
    """Return `rows` and all rows nested below them, in the order of the pipeline."""
    return [each for row in rows for each in row.walk()]


def _row_at(path: str, rows: dict[str, Row], *, is_planned: bool = False) -> Row:
    """Return the row at a path, after adding it if it is missing.

    Two pipelines with the same anchor and a pass between them are two rows.
    """
    known = rows.get(path)
    enclosing, _, part = path.rpartition("/")
    if known is not None and (not is_planned or not path or known.is_pass):
        return known
    parent = _row_at(enclosing, rows, is_planned=is_planned)
    if known is None or parent.inside[-1:] != [known]:
        known = rows[path] = Row(parent.depth + 1, path, part)
        parent.inside.append(known)
    return known


_LONGEST_TITLE = 60
_MOST_LINES = 100
"""The maximum number of lines of a diff in a notebook's file."""


def lines_of(record: Record, *, most_diffs: int) -> Iterator[Line]:
    """Yield the report on a record: for each run, a heading, a table of passes, and the failures.

    Args:
        record: The record.
        most_diffs: The maximum number of diffs in the row of a pass. Each diff is for one changed
            op.
    """
    for run in record.info.top_runs:
        yield Line(heading(record, run))
        rows = all_rows(rows_of(record, run))
        titles = ("", "ops", "changed", "failed", "time", "own")
        head, *table = aligned([titles, *((title_of(row), *_cells(row)) for row in rows)])
        yield Line(head)
        for row, text in zip(rows, table, strict=True):
            yield Line(text, diff=_diffs(row, most_diffs, record))
        yield from (Line(each, is_error=True) for each in ending(record, run))


def heading(record: Record, run: RunInfo) -> str:
    """Return a line with the input and the pipeline of a run, and the versions of packages."""
    versions = " ".join(f"{name} {version}" for name, version in run.version.items()) or run.ir
    source = f"{run.source}: " if run.source else ""
    return f"{source}{run.pipeline} ({versions}, passel {record.info.passel})"


def title_of(row: Row) -> str:
    """Return the title of a row, indented by its depth. A long title is shortened."""
    more = "..." if len(row.title) > _LONGEST_TITLE else ""
    return f"{'  ' * row.depth}{row.title[:_LONGEST_TITLE]}{more}"


def ending(record: Record, run: RunInfo) -> Iterator[str]:
    """Yield lines about the failures of a run and about missing data."""
    for failure in run.failures:
        yield f"failed: {failure.path} on {failure.where}"
        error = failure.diagnostic
        yield f"  {error.location}: error: {error.message}".replace("\n", "\n  ")
    yield from run.notes
    if not run.is_complete:
        yield "the record ends before the end of the run"
        for each in record.running:
            yield f"still running when the record ended: {each.path} on {each.op_title}"
        if record.running and (again := record.replay(record.running[0])):
            yield f"to run it again: {again}"


def _diffs(row: Row, most: int, record: Record) -> str:
    """Return the diffs of the first ops that a pass changed, and the number of the others."""
    changed = [each for each in row.executions if each.status == "changed"]
    lines: list[str] = []
    for each in changed[:most]:
        diff = record.diff(each).splitlines()[2:]  # without the names `before` and `after`
        more = [f"... and {len(diff) - _MOST_LINES} more lines"] if diff[_MOST_LINES:] else []
        lines += [each.op_title, *diff[:_MOST_LINES], *more]
    more = [f"... and {len(changed) - most} more ops"] if changed[most:] else []
    return "\n".join([*lines, *more])


def _cells(row: Row) -> tuple[object, ...]:
    if not row.is_pass:
        return ()
    ran = len(row.executions) - row.count("skipped")
    changed = f"{row.count('changed')}{'?' if row.count('unknown') else ''}"
    times = (f"{1000 * seconds:.1f} ms" for seconds in (row.total_time, row.own_time))
    return (ran, changed, row.count("failed") or "", *times)


# -- Two records -------------------------------------------------------------------------------

_NUMBER = re.compile(r"\b\d+:")


class ComparedRow(NamedTuple):
    """A table row that compares a pass or a nested pipeline in two records.

    Attributes:
        old: The row in the old record; None if only the new record has the pass.
        new: The row in the new record; None if only the old record has the pass.
    """

    old: Row | None
    new: Row | None

    @property
    def row(self) -> Row:
        """The row in the new record, or in the old record if only the old record has the pass."""
        row = self.new or self.old
        assert row is not None  # noqa: S101 - one of them is there
        return row

    def pairs(self) -> Iterator[tuple[Execution | None, Execution | None]]:
        """Yield the old and the new execution on each op, with None for a missing execution."""
        left: defaultdict[object, deque[Execution]] = defaultdict(deque)
        for each in self.old.executions if self.old else ():
            left[each.op_identity].append(each)
        for each in self.new.executions if self.new else ():
            others = left[each.op_identity]
            yield others.popleft() if others else None, each
        for others in left.values():
            yield from ((each, None) for each in others)

    def differing(self) -> list[tuple[Execution | None, Execution | None]]:
        """Return each pair (old execution, new execution) that introduces a difference.

        A pair introduces a difference if the two executions turn equal IR into different IR, if
        only one of them failed, or if one is missing. The list is empty if only one record
        has the pass.
        """
        if self.old is None or self.new is None:
            return []
        return [pair for pair in self.pairs() if _begins_to_differ(*pair)]

    def counts(self) -> dict[str, tuple[int, int]]:
        """For each statistic that changed, map the name to the old value and the new value."""
        old, new = (row.counts if row else {} for row in self)
        both = {name: (old.get(name, 0), new.get(name, 0)) for name in {**old, **new}}
        return {name: values for name, values in both.items() if values[0] != values[1]}


def compared(old: Record, new: Record) -> Iterator[ComparedRow]:
    """Yield the rows that compare two records, run by run."""
    for one, other in zip_longest(old.info.top_runs, new.info.top_runs):
        yield from matched(rows_of(old, one) if one else [], rows_of(new, other) if other else [])


def matched(old: Sequence[Row], new: Sequence[Row]) -> Iterator[ComparedRow]:
    """Match old and new rows by name and order, and yield a row for each match.

    A row without a match is paired with None.
    """
    names = ([_NUMBER.sub("", row.path) for row in rows] for rows in (old, new))
    for tag, i, end, j, stop in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            for one, other in zip(old[i:end], new[j:stop], strict=True):
                yield ComparedRow(one, other)
                yield from matched(one.inside, other.inside)
        else:
            yield from (ComparedRow(row, None) for row in all_rows(old[i:end]))
            yield from (ComparedRow(None, row) for row in all_rows(new[j:stop]))


def _begins_to_differ(old: Execution | None, new: Execution | None) -> bool:
    if old is None or new is None:
        return True
    if "failed" in (old.status, new.status) and old.status != new.status:
        return True
    return old.after != new.after and old.before == new.before
