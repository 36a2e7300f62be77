"""Failures of native passes that ran as one call: found by running them again, one by one.

MLIR does not say which of its passes failed, or on which op. So the op is put back to what it
was before, and each step runs alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.execution import FusedFailure, Inside
from passel.ir import InvalidIR
from passel.mlir.verification import verify
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.diagnostics import Diagnostic
    from passel.mlir.kinds import Kinds
    from passel.mlir.native import Managers
    from passel.passes import PassContext
    from passel.schedule import NestedStep, Step


class Replay:
    """Runs steps one by one, and collects what fails.

    Args:
        kinds: What is known of ops.
        managers: Pass managers that do not verify.
        ctx: The context of the pass that they are.
        verified: Whether to verify after each step.
    """

    def __init__(
        self, kinds: Kinds, managers: Managers, ctx: PassContext, *, verified: bool
    ) -> None:
        self._kinds = kinds
        self._managers = managers
        self._ctx = ctx
        self._verified = verified
        self._failures: list[Inside] = []
        self._said: list[Diagnostic] = []

    def failure(self, steps: Sequence[Step], operation: Any) -> FusedFailure | None:
        """Return the failures of steps on an op; None if none of them fails this time."""
        self._run(steps, operation)
        return FusedFailure(self._failures, self._said) if self._failures else None

    def _run(self, steps: Sequence[Step], operation: Any) -> None:
        """Run steps on an op up to the first that fails."""
        known = len(self._failures)
        for step in steps:
            if isinstance(step, PassStep):
                self._run_pass(step, operation)
            else:
                self._run_nested(step, operation)
            if self._verified and len(self._failures) == known:
                self._verify(step, operation)
            if len(self._failures) > known:
                return

    def _run_pass(self, step: PassStep, operation: Any) -> None:
        outcome = self._managers.run(operation, str(step.pass_), self._ctx)
        self._said += outcome.diagnostics
        if outcome.failed:
            self._add(step, operation, PassFailure(op=operation.opview))

    def _run_nested(self, step: NestedStep, operation: Any) -> None:
        """Run pipelines on the nested ops; one that fails does not keep its siblings from it."""
        for child in self._managers.bindings.children(operation):
            inner = child.operation
            pipeline = step.select(self._kinds.kind(inner.context, inner.name))
            if pipeline is not None:
                self._run(pipeline.steps, inner)

    def _verify(self, step: Step, operation: Any) -> None:
        try:
            verify(self._managers.bindings, operation)
        except InvalidIR as error:
            self._add(step, operation, error)

    def _add(self, step: Step, operation: Any, reason: PassFailure | InvalidIR) -> None:
        self._failures.append(Inside(step, operation.opview, reason, tuple(self._said)))
        self._said.clear()
