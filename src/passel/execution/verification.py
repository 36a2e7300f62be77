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


def verify(
    services: RunServices, step: Step, op: Any, claims: Sequence[Step] = ()
) -> Failure | None:
    """Verify an op with all that is nested in it, and return the failure if it is invalid.

    Args:
        services: What the run's parts share.
        step: The step after which that is done.
        op: The op.
        claims: Steps before that may be to blame as well.
    """
    error = _error(services, step, op, recursive=True)
    return None if error is None else services.failures.invalid(step, op, error, claims)


def verify_enclosing(
    services: RunServices, suspects: Suspects, op: Any, *, recursive: bool
) -> Failure | None:
    """Verify an op after passes on ops inside of it, maybe with all that is nested in it."""
    error = _error(services, suspects.step, op, recursive=recursive)
    return None if error is None else services.failures.invalid_enclosing(suspects, op, error)


def _error(services: RunServices, step: Step, op: Any, *, recursive: bool) -> InvalidIR | None:
    hooks = services.hooks
    with Bracket(hooks, "verification", step, op) as bracket:
        try:
            services.adapter.verify(op, recursive=recursive)
        except InvalidIR as error:
            bracket.ended = Ended(failed=True)
            return error
    return None
