"""What a pass may touch while it runs: one `PassContext` per pipeline and op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.diagnostics import UNKNOWN, Diagnostic, Severity
from passel.ir import PrintFlags

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.ir import IRAdapter
    from passel.statistics import Statistic


class PassContext:
    """All state of one execution of a pass; the pass itself is frozen and has none.

    A context is valid during `Pass.run` only: don't keep it.

    Attributes:
        op: The op that the pass runs on.
        ir_context: The IR's own context (`xdsl.context.Context`, `mlir.ir.Context`).
        path: The pass's path in the pipeline, such as `builtin.module/func.func/0:cse`.
    """

    __slots__ = ("_adapter", "_counts", "_emit", "_preserved_all", "ir_context", "op", "path")

    def __init__(
        self,
        adapter: IRAdapter,
        ir_context: Any,
        emit: Callable[[Diagnostic], None],
        counts: dict[tuple[str, str], int],
    ) -> None:
        """Made by the run loop, not by users."""
        self._adapter = adapter
        self._emit = emit
        self._counts = counts
        self._preserved_all = False
        self.ir_context = ir_context
        self.op: Any = None
        self.path = ""

    def preserve_all(self) -> None:
        """State that the pass changed nothing on this op.

        Verification is skipped, so say it only if it is true: IR that a pass broke in spite
        of it goes unnoticed until a later pass.

        Source: `mlir::Pass::markAllAnalysesPreserved`, MLIR 22.
        """
        self._preserved_all = True

    def count(self, statistic: Statistic, amount: int = 1) -> None:
        """Add to one of the pass's statistics.

        Args:
            statistic: As declared in the pass's class body.
            amount: How much to add.
        """
        key = (self.path, statistic.name)
        self._counts[key] = self._counts.get(key, 0) + amount

    def emit_error(self, message: str, op: Any = None) -> Diagnostic:
        """Report an error about `op` (by default the one that the pass runs on).

        The pass does not fail by it; raise `PassFailure` for that.

        Returns:
            The diagnostic, to attach notes to.
        """
        return self._report(Severity.ERROR, message, op)

    def emit_warning(self, message: str, op: Any = None) -> Diagnostic:
        """Report a warning about `op` (by default the one that the pass runs on)."""
        return self._report(Severity.WARNING, message, op)

    def emit_remark(self, message: str, op: Any = None) -> Diagnostic:
        """Report a remark about `op` (by default the one that the pass runs on)."""
        return self._report(Severity.REMARK, message, op)

    def _report(self, severity: Severity, message: str, op: Any) -> Diagnostic:
        diagnostic = op_diagnostic(self._adapter, severity, message, self.op if op is None else op)
        self._emit(diagnostic)
        return diagnostic


def op_diagnostic(adapter: IRAdapter, severity: Severity, message: str, op: Any) -> Diagnostic:
    """Return a diagnostic about an op, located at the op or the nearest op around it."""
    location, place = UNKNOWN, op
    while place is not None and location == UNKNOWN:
        location, place = adapter.location(place), adapter.parent(place)
    return Diagnostic(
        severity,
        message,
        location,
        op=op,
        print_op=lambda: adapter.print_op(op, PrintFlags(generic=True)),
    )
