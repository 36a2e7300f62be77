"""Statistics of native passes, parsed from MLIR's reports.

MLIR prints its reports to standard error.

Source: `mlir/lib/Pass/PassStatistics.cpp`, MLIR 22.
"""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from passel.diagnostics import log_warning_once
from passel.ir import ANY
from passel.mlir.calls import calls_of
from passel.mlir.pipelines import Refused, parsed, query_context
from passel.mlir.standard_error import captured
from passel.passes import Statistic
from passel.schedule import NestedStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.mlir.bindings import Bindings
    from passel.passes import PassContext
    from passel.schedule import Pipeline, Step

_REPORT = re.compile(rb"===-+===\n *\.\.\. Pass statistics report \.\.\.\n===-+===\n((?:.+\n)*)\n")
"""A statistics report of MLIR, in which the group matches the lines about passes."""

_STATISTIC = re.compile(r" *\(S\) +(\d+) (.+?) +- (.*)")

_HEADING = re.compile(r" *('|Pipeline Collection)")
"""The start of a line in a report that names a pipeline."""

_SET = frozenset({"cse"})
"""The passes that overwrite their statistics for each op, instead of adding to them.

For these passes, a pass manager reports only the statistics of the last op.
"""


def run_counted(
    managers: Any, op: Any, steps: Sequence[Step], ctx: PassContext[Any]
) -> tuple[bool, list[Diagnostic]]:
    """Run steps of MLIR's own passes on an op, and record the statistics of the passes.

    After a failure, no further step runs. Some passes overwrite their statistics whenever they run
    on another op. If a nested pipeline contains such a pass, the pipeline runs on one op at a time.

    Args:
        managers: MLIR's pass managers for the steps.
        op: The op.
        steps: The native steps.
        ctx: The `PassContext` of the pass that runs the steps.

    Returns:
        A tuple of a boolean and the reported diagnostics. The boolean is true if all passes
        succeeded.
    """
    diagnostics: list[Diagnostic] = []

    def run(name: str, ops: Sequence[Any], steps: tuple[Step, ...]) -> bool:
        runner = managers.runner(name, steps, ctx, counts=True)
        with captured() as output:
            results = [runner(each.operation) for each in ops]
        diagnostics.extend(chain.from_iterable(reports for _, reports in results))
        for lines in _reports(output.getvalue()):
            _count(lines, steps, ctx.recorded().counts, managers.counted[runner])
        return all(is_good for is_good, _ in results)

    def run_inside(step: Any) -> bool:
        found: dict[tuple[Pipeline, str], list[Any]] = {}
        for child in ctx.adapter.children(op):
            kind = ctx.adapter.kind_of(child)
            if pipeline := step.select(kind):
                found.setdefault((pipeline, kind.name), []).append(child)
        good = [run(name, inside, pipeline.steps) for (pipeline, name), inside in found.items()]
        if all(good) and managers.verify:
            is_valid, reports = calls_of(managers.bindings).verify(op.operation)
            diagnostics.extend(reports)
            return is_valid
        return all(good)

    done = all(
        all(map(run_inside, group)) if is_apart else run(ctx.plan.op_name, [op], (*group,))
        for is_apart, group in groupby(steps, _sets_inside)
    )
    return done, diagnostics


def _count(
    lines: Iterable[str],
    steps: Iterable[Step],
    counts: dict[tuple[str, str], int],
    last: dict[int, int],
) -> None:
    """Add the numbers in a report to the counts of the run.

    Args:
        lines: The lines of the report that are about passes.
        steps: The steps that ran, in the order of the report.
        counts: The counts to update, by pass path and statistic.
        last: The numbers in the previous report by line, which this function updates.
    """
    passes = chain.from_iterable(map(passes_of, steps))
    path, adds = "", True
    for number, line in enumerate(lines):
        if found := _STATISTIC.fullmatch(line):
            key, value = (path, found[2]), int(found[1])
            counts[key] = counts.get(key, 0) + value - (last.get(number, 0) if adds else 0)
            last[number] = value
        elif not _HEADING.match(line):
            step = next(passes)
            path, adds = step.path, step.pass_.name not in _SET


def _sets_inside(step: Step) -> bool:
    return isinstance(step, NestedStep) and any(each.pass_.name in _SET for each in passes_of(step))


def _reports(printed: bytes) -> list[list[str]]:
    """Return the lines about passes in each report, and print all other output."""
    os.write(2, _REPORT.sub(b"", printed))
    return [found.decode(errors="replace").splitlines() for found in _REPORT.findall(printed)]


@cache
def native_statistics(bindings: Bindings, name: str, anchor: str) -> tuple[Statistic, ...]:
    """Return the statistics that one of MLIR's own passes reports for an empty module.

    Args:
        bindings: The build of MLIR's Python bindings.
        name: The name of the pass.
        anchor: The name of the ops that the pass is restricted to, or an empty string if it accepts
            any op.
    """
    inner = f"{anchor or ANY}({name})"
    try:
        manager = parsed(bindings, f"builtin.module(builtin.module({inner}))")
    except Refused:  # it needs options
        return ()
    manager.enable_statistics()
    ir = bindings.ir
    module = ir.Module.create(ir.Location.unknown(query_context(bindings))).operation
    with captured() as output:
        calls_of(bindings).runner(manager)(module)
    (lines,) = _reports(output.getvalue())
    if not lines:
        log_warning_once(
            f"there are no statistics for native passes: '{bindings.root}' was built without them"
        )
    found = filter(None, map(_STATISTIC.fullmatch, lines))
    return tuple(Statistic(each[3], name=each[2]) for each in found)
