"""Detection and verification of the changes that passes make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.hooks import Bracket, Ended
from passel.hooks import Run as ObservedRun
from passel.passes.outcome import PLAIN, UNCHANGED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.errors import Failure
    from passel.execution.failure_texts import Failures
    from passel.execution.options import RunOptions
    from passel.hooks import Instrumentor
    from passel.ir import InvalidIR
    from passel.passes import PassContext
    from passel.schedule import Step


class VerifyingRun(ObservedRun):
    """The part of a run that detects changes by passes, verifies ops and reports failures.

    The run compares ops with their last valid states.

    Attributes:
        failing: The factory of failures.
        hooks: The hooks.
        options: The checks to make.
        verifies: Whether the IR is verified after passes.
        knows_changes: Whether outcomes record whether the op was changed.
        tracks: Whether fingerprints are computed to detect the changes of passes.
        isolates: Whether changes by passes on other ops are detected.
        skips: Whether ops with unchanged fingerprints are not verified.
        renew_fingerprint: The adapter's method of this name.
    """

    failing: Failures
    hooks: Instrumentor
    options: RunOptions
    knows_changes: bool
    tracks: bool
    isolates: bool
    skips: bool
    renew_fingerprint: Callable[[Any, Any], object]

    def verify_changes(self, step: Step, ctx: PassContext[Any]) -> Outcome:
        """Determine whether a pass has changed its op, and verify the op if needed.

        The op is verified after a successful pass, unless the run does not verify, the pass has
        verified it, the op has not changed, or siblings are verified together. Earlier passes that
        claim to preserve everything, but are not verified yet, may also be the cause.
        """
        was, changed = ctx.valid_state, None
        if self.tracks:
            ctx.valid_state = self.renew_fingerprint(ctx.op, was)
            changed = ctx.valid_state is not was
            if not changed and self.skips and not ctx.deferred:
                return UNCHANGED
        deferred, ctx.deferred = ctx.deferred, []
        outcome = PLAIN[changed if self.knows_changes else None]
        if ctx.is_verified or (self.skips and not changed):
            return outcome
        if (error := self.verify(step, ctx.op)) is None:
            return outcome
        return outcome + self.tell(ctx, self.failing.invalid(step, ctx.op, error, deferred))

    def verify(self, step: Step, op: Any, *, recursive: bool = True) -> InvalidIR | None:
        """Verify an op after a step, unless the run does not verify; return the error if any.

        Args:
            step: The step that has just run.
            op: The op.
            recursive: Whether all nested ops are verified as well.
        """
        if not self.verifies:
            return None
        with Bracket(self.hooks, "verification", step, op) as hooks:
            error = self.adapter.verification_error(op, recursive=recursive)
            if error is not None:
                hooks.ended = Ended(failed=True)
        return error

    def tell(self, ctx: PassContext[Any], failure: Failure | None = None) -> Outcome:
        """Report the diagnostics and the failure of a step, and return them as an outcome."""
        record, ctx.record = ctx.record, None
        if failure is not None:
            ctx.failure = failure
        if record is None:
            return self.reports.tell((), failure)
        told = self.reports.tell(record.diagnostics, failure, record.counts)
        return record.outcome + told
