"""Diagnostics about ops, and optimization remarks.

Optimization remarks are structured reports on optimizations that were performed, missed or failed.

Source: `mlir/IR/Remarks.h`, MLIR 22.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.diagnostics import UNKNOWN, Diagnostic, OptimizationRemark, RemarkKind, Severity
from passel.ir import PrintFlags, outwards

if TYPE_CHECKING:
    from passel.diagnostics import Location
    from passel.ir import InvalidIR, IRAdapter

_FOR_DIAGNOSTICS = PrintFlags(generic=True, local_scope=True)
"""The flags with which diagnostics print their op.

Source: `adjustPrintingFlags` of `lib/IR/Diagnostics.cpp`, MLIR 22.
"""


def op_diagnostic(adapter: IRAdapter, severity: Severity, message: str, op: Any) -> Diagnostic:
    """Return a diagnostic about an op. For its location, see `location_near`."""
    location = location_near(adapter, op)
    printer = partial(adapter.print_op, op, _FOR_DIAGNOSTICS)
    return Diagnostic(severity, message, location, print_op=printer)


def location_near(adapter: IRAdapter, op: Any) -> Location:
    """Return the location of an op or, if it has none, of the nearest enclosing op that has one."""
    locations = (adapter.location(each) for each in outwards(adapter, op))
    return next((each for each in locations if each != UNKNOWN), UNKNOWN)


def invalid_diagnostic(adapter: IRAdapter, error: InvalidIR) -> Diagnostic:
    """Convert an error of the verifier to a diagnostic about the invalid op."""
    message = f"'{adapter.kind_of(error.op).name}' op {error.message}"
    diagnostic = op_diagnostic(adapter, Severity.ERROR, message, error.op)
    for place, note in error.notes:
        diagnostic.attach_note(note, place)
    return diagnostic


# -- Optimization remarks ------------------------------------------------------------------------

RemarkFilter: TypeAlias = Mapping[str, re.Pattern[str]]
"""The pattern of the categories to report, for each kind of remark; other kinds are discarded."""

_LABELS = {"text": "Remark", "reason": "Reason", "suggest": "Suggestion"}


def remark_filter(
    every: str = "", passed: str = "", missed: str = "", failed: str = "", analysis: str = ""
) -> RemarkFilter:
    """Return a filter that selects remarks by category.

    A regular expression must match the whole category.

    Args:
        every: A regular expression that applies to remarks of all kinds.
        passed: An additional expression for remarks on optimizations that were performed.
        missed: An additional expression for remarks on optimizations that were not performed.
        failed: An additional expression for remarks on optimizations that failed.
        analysis: An additional expression for remarks on the results of analyses.

    Raises:
        ValueError: A regular expression is invalid.

    Source: `buildFilter` in `mlir/lib/IR/Remarks.cpp`, MLIR 22.
    """
    by_kind = {"Passed": passed, "Missed": missed, "Failure": failed, "Analysis": analysis}
    found: dict[str, re.Pattern[str]] = {}
    for kind, own in by_kind.items():
        if pattern := "|".join(filter(None, (every, own))):
            is_anchored = pattern.startswith("^") and pattern.endswith("$")
            try:
                found[kind] = re.compile(pattern if is_anchored else f"^({pattern})$")
            except re.error as error:
                raise ValueError(f"'{pattern}' is not a regular expression: {error.msg}") from None
    return found


class RemarkEmitter:
    """An emitter of optimization remarks. The emitter is falsy if remarks are disabled.

    Each method takes the name of the remark, the op that the remark is about (by default the op of
    the pass), and details as keyword arguments. The details `text`, `reason` and `suggest` are
    prose. The keyword argument `category`, by default the name of the pass, is the category that
    filters compare with their regular expressions.

    Example:
        >>> from passel import Pass, PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> class Unroll(Pass):
        ...     def run(self, op, ctx):
        ...         ctx.remark.passed("unrolled", op, category="loops", factor=4)
        ...         ctx.remark.missed("vectorized", op, reason="a call inside", suggest="inline it")
        >>> pm = PassManager("toy.module", adapter=ToyAdapter())
        >>> _ = pm.nest("toy.func").add(Unroll())
        >>> pm.enable_remarks("loops")
        >>> for remark in pm.run(parse_toy("toy.module(toy.func @f)")).remarks:
        ...     print(remark.function, remark.name, remark.args)
        f unrolled {'factor': 4}

    Source: `mlir::remark`, MLIR 22.
    """

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    def __bool__(self) -> bool:
        return self._ctx.run.remarks is not None

    def passed(self, name: str, op: Any = None, /, **facts: Any) -> None:
        """Report an optimization that was performed."""
        self._emit("Passed", name, op, facts)

    def missed(self, name: str, op: Any = None, /, **facts: Any) -> None:
        """Report an optimization that was not performed; give the cause as `reason`."""
        self._emit("Missed", name, op, facts)

    def failed(self, name: str, op: Any = None, /, **facts: Any) -> None:
        """Report an optimization that was attempted and failed; give the cause as `reason`."""
        self._emit("Failure", name, op, facts)

    def analysis(self, name: str, op: Any = None, /, **facts: Any) -> None:
        """Report the result of an analysis."""
        self._emit("Analysis", name, op, facts)

    def _emit(self, kind: RemarkKind, name: str, op: Any, facts: dict[str, Any]) -> None:
        ctx = self._ctx
        category = facts.pop("category", "") or ctx.step.pass_.short_name
        heard: RemarkFilter = ctx.run.remarks or {}
        if kind not in heard or not heard[kind].search(category):
            return
        adapter: IRAdapter = ctx.adapter
        about = ctx.op if op is None else op
        symbols = map(adapter.symbol_name, [*outwards(adapter, about)][:-1])
        diagnostic = ctx.emit_remark("", about)
        diagnostic.remark = remark = OptimizationRemark(
            kind,
            name,
            category,
            ctx.path,
            adapter.kind_of(about).name,
            next(filter(None, symbols), ""),
            diagnostic.location,
            {_LABELS.get(key, key): _plain(value) for key, value in facts.items()},
        )
        diagnostic.message = str(remark)


def _plain(value: Any) -> bool | float | str:
    return value if isinstance(value, float | int | str) else str(value)
