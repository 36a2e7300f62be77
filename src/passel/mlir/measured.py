"""Statistics of native passes, read from the reports that MLIR prints of them.

MLIR prints to the standard error. Where the system does not let a thread have its own, nothing is
measured.

Source: `mlir/lib/Pass/PassStatistics.cpp`, MLIR 22.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from passel.diagnostics import log_warning_once
from passel.ir import ANY
from passel.mlir.pipelines import Refused, compiled, parsed, query_context
from passel.mlir.standard_error import can_be_own, printed_by
from passel.passes import Statistic

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings
    from passel.mlir.pipelines import Outcome
    from passel.passes import PassContext

_BEGIN = b"===---"
"""How MLIR's reports begin."""

_STATISTIC = re.compile(r" *\(S\) +(\d+) (.+?) +- (.*)")
_HEADER = 4
"""Lines of a report of statistics without any pass, which a build without them prints."""


def run_counted(bindings: Bindings, text: str, operation: Any, ctx: PassContext[Any]) -> Outcome:
    """Run a pass by MLIR, and give the run what MLIR has counted.

    The pass manager is a new one: MLIR's passes may set their statistics instead of adding to them,
    so that those of the last op would be left.

    Args:
        bindings: The build.
        text: The pipeline.
        operation: The op.
        ctx: The context of the pass that this is.
    """
    made = compiled(bindings, ctx.ir_context, text, verify=False)
    made.count()
    outcome, report = printed_by(lambda call: made.run(operation, by=call), _BEGIN)
    if len(report.splitlines()) == _HEADER:
        log_warning_once(
            f"no statistics of native passes: '{bindings.root}' was built without them"
        )
    for each, value in statistics_in(report):
        ctx.count_by_name(each.name, value)
    return outcome


def can_measure(bindings: Bindings) -> bool:
    """Return whether what MLIR prints can be read; say it once if it cannot."""
    found = can_be_own()
    if not found:
        log_warning_once(
            f"no statistics of '{bindings.root}': this system does not let a thread "
            "have a standard error of its own"
        )
    return found


def statistics_in(report: bytes) -> list[tuple[Statistic, int]]:
    """Return the statistics of the pass that a report is about."""
    lines = report.decode(errors="replace").splitlines()
    found = filter(None, map(_STATISTIC.fullmatch, lines))
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
    manager.count()
    ir = bindings.ir
    module = ir.Module.create(ir.Location.unknown(query_context(bindings))).operation
    _, report = printed_by(lambda call: manager.run(module, by=call), _BEGIN)
    return tuple(each for each, _ in statistics_in(report))
