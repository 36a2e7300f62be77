"""Detection of changes that passes make, and verification of changed ops."""

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
    """The base class of runs that detect changes, verify ops and report failures.

    The run compares the fingerprint of an op with the fingerprint of its last valid state.

    Attributes:
        failing: The object that creates failures.
        hooks: The instrumentor, which calls the hooks.
        options: The options of the run.
        verifies: Whether the IR is verified after passes.
        knows_changes: Whether the outcome of a step says if the step changed the op.
        tracks: Whether fingerprints are computed after passes to detect changes.
        isolates: Whether the run detects that a pass changed an op other than its own.
        skips: Whether verification is skipped for ops with unchanged fingerprints.
        renew_fingerprint: The method `renew_fingerprint` of the adapter.
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

        The op is not verified if verification is disabled, if the pass has already verified the op,
        or if the fingerprint of the op is unchanged. If the op is invalid, the failure also names
        the earlier passes after which the op was not verified because they claimed to preserve
        everything.
        """
        was, changed = ctx.valid_state, None
        if self.tracks:
            ctx.valid_state = self.renew_fingerprint(ctx.op, was)
            changed = ctx.valid_state is not was
            if not changed and self.skips and not ctx.deferred:
                return UNCHANGED
        deferred, ctx.deferred = ctx.deferred, []
        outcome = PLAIN[changed if self.knows_changes else None]
        is_verified, ctx.is_verified = ctx.is_verified, False
        if is_verified or (self.skips and not changed):
            return outcome
        if (error := self.verify(step, ctx.op)) is None:
            return outcome
        return outcome + self.tell(ctx, self.failing.invalid(step, ctx.op, error, deferred))

    def verify(self, step: Step, op: Any, *, recursive: bool = True) -> InvalidIR | None:
        """Verify an op after a step, unless verification is disabled.

        Args:
            step: The step that has just run.
            op: The op to verify.
            recursive: Whether to verify all nested ops too.

        Returns:
            The error of the verifier, or None if the op is valid or was not verified.
        """
        if not self.verifies:
            return None
        with Bracket(self.hooks, "verification", step, op) as hooks:
            error = self.adapter.verification_error(op, recursive=recursive)
            if error is not None:
                hooks.ended = Ended(failed=True)
        return error

    def tell(self, ctx: PassContext[Any], failure: Failure | None = None) -> Outcome:
        """Report the diagnostics and the failure of a step, and return the outcome of the step."""
        record, ctx.record = ctx.record, None
        if failure is not None:
            ctx.failure = failure
        if record is None:
            return self.reports.tell((), failure)
        told = self.reports.tell(record.diagnostics, failure, record.counts)
        return record.outcome + told
