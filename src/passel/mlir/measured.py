"""Statistics and times of native passes, read from the reports that MLIR prints of them.

MLIR prints to the standard error. Where the system does not let a thread have its own, nothing is
measured.

Source: `mlir/lib/Pass/PassStatistics.cpp` and `mlir/lib/Support/Timing.cpp`, MLIR 22.
"""

from __future__ import annotations

import re
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from passel.diagnostics import log_warning_once
from passel.hooks import Measured
from passel.ir import ANY
from passel.mlir.pipelines import Refused, compiled, parsed, query_context
from passel.mlir.standard_error import can_be_own, printed_by
from passel.passes import Statistic
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from passel.mlir.bindings import Bindings
    from passel.mlir.contexts import Caller
    from passel.mlir.pipelines import Outcome
    from passel.schedule import Pipeline, Step

T = TypeVar("T")

_BEGIN = b"===---"
"""How MLIR's reports begin."""

_STATISTIC = re.compile(r" *\(S\) +(\d+) (.+?) +- (.*)")
_ROW = re.compile(r"((?:  +-?[\d.]+ \( *-?[\w.]+%\))+)  ( *)(\S.*)")
_COLUMN = re.compile(r"(-?[\d.]+) \( *(-?[\w.]+)%\)")
_HEADER = 4
"""Lines of a report of statistics without any pass, which a build without them prints."""

_COARSE = 0.1
"""Seconds in total up to which percents, with one digit, tell more than seconds with four."""


def run_measured(
    bindings: Bindings, text: str, operation: Any, ctx: Any, steps: Sequence[Step], *, verify: bool
) -> Outcome:
    """Run a pipeline by MLIR, and give the run what MLIR has counted and measured.

    The pass manager is a new one: MLIR's passes may set their statistics instead of adding to them,
    so that those of the last op would be left.

    Args:
        bindings: The build.
        text: The pipeline.
        operation: The op.
        ctx: The context of the pass that this is.
        steps: The steps that the pipeline is made of; empty for the pass by itself.
        verify: Whether MLIR verifies after each pass.
    """
    counts, times = ctx.collects_statistics, ctx.measures
    ops = {what: count for step in steps for what, count in _ops(step, operation, ctx)}
    made = [compiled(bindings, ctx.ir_context, text, verify=verify)]
    made[0].observe(statistics=counts, timing=times)
    clock = [perf_counter()]

    def drop() -> None:
        clock.append(perf_counter())
        made.clear()

    if counts:
        outcome, report = _report_of(lambda call: made[0].run(operation, by=call))
        if len(report.splitlines()) == _HEADER:
            log_warning_once(
                f"no statistics of native passes: '{bindings.root}' was built without them"
            )
        for each, value in statistics_in(report):
            ctx.count_by_name(each.name, value)
    else:
        outcome = made[0].run(operation)
    if times:
        _, report = _report_of(lambda call: call(drop))
        rows = rows_in(report, clock[1] - clock[0])
        if steps:
            ctx.add_measured(list(_matched(rows, steps, ops)))
        else:
            ctx.add_measured(_inside(rows[0]) if rows else ())
    return outcome


def can_measure(bindings: Bindings) -> bool:
    """Return whether what MLIR prints can be read; say it once if it cannot."""
    found = can_be_own()
    if not found:
        log_warning_once(
            f"no times and statistics of '{bindings.root}': this system does not let a thread "
            "have a standard error of its own"
        )
    return found


def _report_of(action: Callable[[Caller], T]) -> tuple[T, str]:
    result, report = printed_by(action, _BEGIN)
    return result, report.decode(errors="replace")


# -- Statistics --------------------------------------------------------------------------------


def statistics_in(report: str) -> list[tuple[Statistic, int]]:
    """Return the statistics of the pass that a report is about."""
    found = filter(None, map(_STATISTIC.fullmatch, report.splitlines()))
    return [(Statistic(each[3], name=each[2]), int(each[1])) for each in found]


@cache
def native_statistics(bindings: Bindings, name: str, anchor: str) -> tuple[Statistic, ...]:
    """Return the statistics of a native pass, which a manager reports that runs it on nothing.

    Args:
        bindings: The build.
        name: The pass.
        anchor: The name of the ops that it is for; empty for any.
    """
    if not can_measure(bindings):
        return ()
    inner = f"{anchor or ANY}({name})"
    try:
        manager = parsed(bindings, f"builtin.module(builtin.module({inner}))")
    except Refused:  # it needs options
        return ()
    manager.observe(statistics=True)
    ir = bindings.ir
    module = ir.Module.create(ir.Location.unknown(query_context(bindings))).operation
    _, report = _report_of(lambda call: manager.run(module, by=call))
    return tuple(each for each, _ in statistics_in(report))


# -- Times -------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A row of MLIR's report, with times in seconds."""

    name: str
    user: float
    wall: float
    inside: list[Row]


def rows_in(report: str, seconds: float) -> list[Row]:
    """Return the rows at the top of a report, without the rest and the total.

    Args:
        report: The report.
        seconds: How long it was measured in all.
    """
    lines = list(filter(None, map(_ROW.fullmatch, report.splitlines())))
    if not lines:
        return []
    totals = [float(total) for total, _ in _COLUMN.findall(lines[-1][1])]
    top: list[Row] = []
    levels = [top]
    for line in lines[:-2]:
        times = [
            float(percent) / 100 * (seconds if len(totals) == 1 or number else total)
            if seconds < _COARSE
            else float(time)
            for number, ((time, percent), total) in enumerate(
                zip(_COLUMN.findall(line[1]), totals, strict=True)
            )
        ]
        depth = len(line[2]) // 2
        row = Row(line[3], max(times), times[-1], [])  # rounded, it may seem less
        levels[depth].append(row)
        levels[depth + 1 :] = [row.inside]
    return top


def _matched(rows: Sequence[Row], steps: Sequence[Step], ops: dict[Any, int]) -> Iterator[Measured]:
    """Yield what rows tell of steps: they stand in the order of these, up to one that failed."""
    left = list(rows)
    for step in steps:
        if not left:
            return
        if isinstance(step, PassStep):
            row = left.pop(0)
            yield Measured(step, row.user, row.wall, ops.get(step, 1), _inside(row))
            continue
        found = left if len(step.pipelines) == 1 else left[0].inside
        names = [each.name for each in found]
        pipelines = [
            _pipeline(found[names.index(title)], pipeline, ops)
            for pipeline in step.pipelines
            if (title := f"'{pipeline.anchor}' Pipeline") in names
        ]
        if pipelines:
            row = left.pop(0)
            yield Measured(step, row.user, row.wall, ops.get(step, 1), pipelines)


def _inside(row: Row) -> list[Measured]:
    """Return the analyses of a pass."""
    return [Measured(each.name, each.user, each.wall, 1, []) for each in row.inside]


def _pipeline(row: Row, pipeline: Pipeline, ops: dict[Any, int]) -> Measured:
    inside = list(_matched(row.inside, pipeline.steps, ops))
    return Measured(pipeline, row.user, row.wall, ops.get(pipeline, 1), inside)


def _ops(step: Step, operation: Any, ctx: Any) -> Iterator[tuple[Any, int]]:
    """Yield steps and pipelines, each with the number of ops there that they are for."""
    todo = [(step, [operation])]
    adapter = ctx.adapter
    while todo:
        each, found = todo.pop()
        yield each, len(found)
        if isinstance(each, PassStep):
            continue
        chosen: dict[Any, list[Any]] = {}
        for child in (child for op in found for child in adapter.children(op)):
            pipeline = each.select(adapter.kind_of(child))
            if pipeline is not None:
                chosen.setdefault(pipeline, []).append(child)
        for pipeline, inner in chosen.items():
            yield pipeline, len(inner)
            todo += [(nested, inner) for nested in pipeline.steps]
