"""Verification: of an op after a step, and of an op after pipelines on the ops inside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.hooks import Bracket, Ended
from passel.ir import InvalidIR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.errors import Failure
    from passel.execution.failures import Suspects
    from passel.execution.services import RunServices
    from passel.schedule import Step


class Verifier:
    """Verifies for a run.

    Args:
        services: What the run's parts share.
    """

    def __init__(self, services: RunServices) -> None:
        self._verify = services.adapter.verify
        self._hooks = services.hooks
        self._failures = services.failures

    def verify(
        self, step: Step, op: Any, *, recursive: bool, claims: Sequence[Step] = ()
    ) -> Failure | None:
        """Verify an op after a step on it, and return the failure if it is invalid.

        Args:
            step: The step.
            op: The op.
            recursive: Whether what is nested in the op is verified as well.
            claims: Steps before that may be to blame as well.
        """
        error = self._error(step, op, recursive=recursive)
        return None if error is None else self._failures.invalid(step, op, error, claims)

    def verify_enclosing(self, suspects: Suspects, op: Any, *, recursive: bool) -> Failure | None:
        """Verify an op after passes on ops inside of it."""
        error = self._error(suspects.step, op, recursive=recursive)
        return None if error is None else self._failures.invalid_enclosing(suspects, op, error)

    def _error(self, step: Step, op: Any, *, recursive: bool) -> InvalidIR | None:
        hooks = self._hooks
        with Bracket(hooks.verifications, step, op) as bracket, hooks.interrupts.allowed():
            try:
                self._verify(op, recursive=recursive)
            except InvalidIR as error:
                bracket.ended = Ended(failed=True)
                return error
        return None
