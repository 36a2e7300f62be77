"""Records as notebooks show them: the pipeline with what its passes changed and took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.notebooks import Table, TableRow, Text, cut_diff
from passel.record.outline import rows_of, top_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from passel.record.model import Execution, RecordInfo
    from passel.record.outline import Row

_MOST_DIFFS = 50
"""Of how many executions a notebook's file keeps what they changed; of each pass, one at least."""


def parts_of(
    info: RecordInfo, executions: Sequence[Execution], diff: Callable[[Execution], str]
) -> Iterator[Text | Table]:
    """Yield the passes of each run of a record with what they changed, and what has failed.

    Args:
        info: Facts about the record.
        executions: The executions in it.
        diff: Returns what one has changed.
    """
    runs = [(run, rows_of(info, executions, run)) for run in top_runs(info)]
    passes = sum(bool(_changed(row)) for _, rows in runs for row in rows)
    most = max(1, _MOST_DIFFS // max(1, passes))
    for run, rows in runs:
        if run.source:
            yield Text(run.source)
        yield Table(
            ("pass", "ops", "changed", "failed", "ms"),
            [TableRow(row.depth, row.title, _cells(row), _diffs(row, most, diff)) for row in rows],
        )
        for failure in run.failures:
            yield Text(f"{failure.path} on {failure.where}: {failure.message}", is_error=True)


def _changed(row: Row) -> list[Execution]:
    return [each for each in row.executions if row.is_pass and each.status == "changed"]


def _diffs(row: Row, most: int, diff: Callable[[Execution], str]) -> str:
    """Return what a pass has changed in the first ops, and how many others it has changed."""
    changed = _changed(row)
    diffs = [cut_diff(each.op_title, diff(each)) for each in changed[:most]]
    more = [f"... and {len(changed) - most} more ops"] if changed[most:] else []
    return "\n".join([*diffs, *more])


def _cells(row: Row) -> tuple[object, ...]:
    if not row.executions or not row.is_pass:
        return ()
    counts = (row.count(status) or "" for status in ("changed", "failed"))
    return (len(row.executions), *counts, f"{1000 * row.own_time:.1f}")
