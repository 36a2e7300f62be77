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
"""Of how many executions a notebook's file keeps what they changed."""


def parts_of(
    info: RecordInfo, executions: Sequence[Execution], diff: Callable[[Execution], str]
) -> Iterator[Text | Table]:
    """Yield the passes of each run of a record with what they changed, and what has failed.

    Args:
        info: Facts about the record.
        executions: The executions in it.
        diff: Returns what one has changed.
    """
    left = _MOST_DIFFS
    for run in top_runs(info):
        rows: list[TableRow] = []
        for row in rows_of(info, executions, run):
            changed = [e for e in row.executions if row.is_pass and e.status == "changed"][:left]
            left -= len(changed)
            diffs = "\n".join(cut_diff(each.op_title, diff(each)) for each in changed)
            rows.append(TableRow(row.depth, row.title, _cells(row), diffs))
        if run.source:
            yield Text(run.source)
        yield Table(("pass", "ops", "changed", "failed", "ms"), rows)
        for failure in run.failures:
            yield Text(f"{failure.path} on {failure.where}: {failure.message}", is_error=True)


def _cells(row: Row) -> tuple[object, ...]:
    if not row.executions or not row.is_pass:
        return ()
    counts = (row.count(status) or "" for status in ("changed", "failed"))
    return (len(row.executions), *counts, f"{1000 * row.own_time:.1f}")
