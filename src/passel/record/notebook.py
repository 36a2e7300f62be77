"""Records as notebooks show them: the pipeline with what its passes changed and took."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from passel.record.outline import rows_of, top_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.record.model import Execution, RecordInfo
    from passel.record.outline import Row


def as_text(info: RecordInfo, executions: Sequence[Execution]) -> str:
    """Return the passes of a record, a line for each."""
    lines = (
        f"{'  ' * row.depth}{row.title}{_facts(row)}"
        for run in top_runs(info)
        for row in rows_of(info, executions, run)
    )
    return "\n".join(lines)


def as_html(info: RecordInfo, executions: Sequence[Execution]) -> str:
    """Return a table of the passes of a record, with what has failed."""
    return "".join(_html(info, executions))


def _html(info: RecordInfo, executions: Sequence[Execution]) -> Iterator[str]:
    for run in top_runs(info):
        yield f"<p>{escape(run.source or run.op_name)}</p><table><thead><tr>"
        yield from (f"<th>{each}</th>" for each in ("pass", "ops", "changed", "ms"))
        yield "</tr></thead><tbody>"
        for row in rows_of(info, executions, run):
            style = f"text-align:left;padding-left:{1 + row.depth}em"
            yield f'<tr><td style="{style}"><code>{escape(row.title)}</code></td>'
            cells = (len(row.executions), row.count("changed"), f"{1000 * row.own_time:.1f}")
            yield from (f"<td>{each}</td>" for each in (cells if row.executions else [""] * 3))
            yield "</tr>"
        yield "</tbody></table>"
        for failure in run.failures:
            message = f"{failure.path} on {failure.where}: {failure.message}"
            yield f'<pre style="color:#b00020">{escape(message)}</pre>'


def _facts(row: Row) -> str:
    if not row.is_pass or not row.executions:
        return ""
    failed = f", {row.count('failed')} failed" if row.count("failed") else ""
    return f": {len(row.executions)} ops, {row.count('changed')} changed{failed}"
