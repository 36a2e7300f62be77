"""Statistics of native passes, parsed from MLIR's reports.

MLIR prints these to the standard error. If the system does not let a thread have its own, there are
no statistics.

Source: `mlir/lib/Pass/PassStatistics.cpp`, MLIR 22.
"""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import log_warning_once
from passel.ir import ANY
from passel.mlir.calls import calls_of
from passel.mlir.pipelines import Refused, parsed, query_context
from passel.mlir.standard_error import printing_elsewhere
from passel.passes import Statistic
from passel.schedule import NestedStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.mlir.bindings import Bindings, Caller
    from passel.passes import PassContext
    from passel.schedule import Pipeline, Step

_REPORT = re.compile(rb"===-+===\n *\.\.\. Pass statistics report \.\.\.\n===-+===\n((?:.+\n)*)\n")
"""A report; the group contains the lines about passes."""

_STATISTIC = re.compile(r" *\(S\) +(\d+) (.+?) +- (.*)")

_HEADING = re.compile(r" *('|Pipeline Collection)")
"""The start of a line that names a pipeline."""

_SET = frozenset({"cse"})
"""Passes that assign their statistics, so that a pass manager has those of the last op.

The other passes add to theirs.
"""


class CountedRun(NamedTuple):
    """A run of native passes whose statistics MLIR prints after each op.

    Attributes:
        managers: MLIR's pass managers.
        ctx: The context of the pass that replaces them.
        call: Calls MLIR.
        read: Returns its output.
        diagnostics: The diagnostics it reported.
    """

    managers: Any
    ctx: PassContext[Any]
    call: Caller
    read: Callable[[], bytes]
    diagnostics: list[Diagnostic]

    def run(self, op: Any, steps: Sequence[Step]) -> bool:
        """Run steps up to the first failure; run nested passes that assign statistics op by op."""
        for is_apart, group in groupby(steps, _sets_inside):
            run = self._inside if is_apart else self._at_once
            if not run([op], [*group]):
                return False
        return True

    def _inside(self, ops: Sequence[Any], steps: Sequence[Any]) -> bool:
        (op,), (step,) = ops, steps
        found: dict[tuple[Pipeline, str], list[Any]] = {}
        for child in self.ctx.adapter.children(op):
            kind = self.ctx.adapter.kind_of(child)
            if pipeline := step.select(kind):
                found.setdefault((pipeline, kind.name), []).append(child)
        good = [self._at_once(inside, each.steps) for (each, _), inside in found.items()]
        if all(good) and self.managers.verify:
            is_valid, reports = calls_of(self.managers.bindings).verify(op.operation)
            self.diagnostics.extend(reports)
            good.append(is_valid)
        return all(good)

    def _at_once(self, ops: Sequence[Any], steps: Sequence[Step]) -> bool:
        manager = self.managers.manager(ops[0], steps, counts=True)
        # In one call: each one changes threads, which takes three times as long as `cse`.
        succeeded, diagnostics = manager.run(*(op.operation for op in ops), by=self.call)
        self.diagnostics.extend(diagnostics)
        counts, last = self.ctx.recorded().counts, manager.counted
        for lines in _reports(self.read()):
            passes = chain.from_iterable(map(passes_of, steps))
            path, adds = "", True
            for number, line in enumerate(lines):
                if found := _STATISTIC.fullmatch(line):
                    key, value = (path, found[2]), int(found[1])
                    known = last.get(number, 0) if adds else 0
                    counts[key] = counts.get(key, 0) + value - known
                    last[number] = value
                elif not _HEADING.match(line):
                    step = next(passes)
                    path, adds = step.path, step.pass_.name not in _SET
        return succeeded


def run_counted(
    managers: Any, op: Any, steps: Sequence[Step], ctx: PassContext[Any]
) -> tuple[bool, list[Diagnostic]]:
    """Run passes on an op, and give the run their statistics."""
    with printing_elsewhere() as (call, read):
        run = CountedRun(managers, ctx, call, read, [])
        return run.run(op, steps), run.diagnostics


def _sets_inside(step: Step) -> bool:
    return isinstance(step, NestedStep) and any(each.pass_.name in _SET for each in passes_of(step))


def _reports(printed: bytes) -> list[list[str]]:
    """Return the lines about passes in each report; print all other output."""
    os.write(2, _REPORT.sub(b"", printed))
    return [found.decode(errors="replace").splitlines() for found in _REPORT.findall(printed)]


@cache
def can_measure(bindings: Bindings) -> bool:
    """Return whether MLIR's reports can be captured; log a warning once if not."""
    try:
        with printing_elsewhere() as (call, _):
            return call(bool) is False
    except (AttributeError, OSError):  # another system, or not allowed
        log_warning_once(
            f"no statistics of '{bindings.root}': this system cannot redirect the standard "
            "error of a single thread"
        )
        return False


@cache
def native_statistics(bindings: Bindings, name: str, anchor: str) -> tuple[Statistic, ...]:
    """Return the statistics of a native pass, from the report of a manager run on an empty module.

    Args:
        bindings: The build.
        name: The pass.
        anchor: The op name it is restricted to; empty for any.
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
    with printing_elsewhere() as (call, read):
        manager.run(module, by=call)
        (lines,) = _reports(read())
    if not lines:
        log_warning_once(
            f"no statistics of native passes: '{bindings.root}' was built without them"
        )
    found = filter(None, map(_STATISTIC.fullmatch, lines))
    return tuple(Statistic(each[3], name=each[2]) for each in found)
