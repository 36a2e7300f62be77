"""What the tool lets observe a run: reports, and the two observers that xdsl-opt has as flags.

MLIR's own flags for this come with the instruments.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Self

from passel.instruments.hooks import PassInstrumentation
from passel.ir import PrintFlags
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.ir import IRAdapter
    from passel.schedule import Pipeline, Step


class Announcer(PassInstrumentation):
    """Hands diagnostics on when their notes are complete: at the next one, or after the pass.

    A pass attaches notes to a diagnostic that it has emitted already.

    Source: `mlir::InFlightDiagnostic`, MLIR 22.
    """

    def __init__(
        self, report: Callable[[Diagnostic], None], explain: Callable[[Failure], None]
    ) -> None:
        self._report = report
        self._explain = explain
        self._pending: Diagnostic | None = None

    def __call__(self, diagnostic: Diagnostic) -> None:
        """Take a diagnostic."""
        self.flush()
        self._pending = diagnostic

    def flush(self) -> None:
        """Hand on what is left."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._report(pending)

    def after_pass(self, step: Step, op: Any) -> None:
        """Hand on before others print the op."""
        self.flush()

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Hand on before others print the op, and explain the failure."""
        self.flush()
        if failure is not None:
            self._explain(failure)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Hand on before others print the next op."""
        self.flush()


class PrintBetweenPasses(PassInstrumentation):
    """`--print-between-passes`: prints the op after each pass that ran on it."""

    def __init__(self, adapter: IRAdapter) -> None:
        self.adapter = adapter

    def after_pass(self, step: Step, op: Any) -> None:
        """Print the op that the pass ran on."""
        if isinstance(step, PassStep):
            text = self.adapter.print_op(op, PrintFlags())
            sys.stderr.write(f"IR after {step.pass_.name}:\n{text}\n\n\n\n")


class PassTimer(PassInstrumentation):
    """`--time-passes`: prints how long each pass took on all its ops, in the end."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._started: dict[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for path, seconds in self.seconds.items():
            sys.stderr.write(f"Pass {path} took {seconds:.6f} seconds\n")

    def before_pass(self, step: Step, op: Any) -> None:
        """Start the clock."""
        if isinstance(step, PassStep):
            self._started[step.path] = time.perf_counter()

    def after_pass(self, step: Step, op: Any) -> None:
        """Stop the clock."""
        if isinstance(step, PassStep):
            elapsed = time.perf_counter() - self._started[step.path]
            self.seconds[step.path] = self.seconds.get(step.path, 0.0) + elapsed
