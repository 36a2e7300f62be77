"""Finding and verifying the changes that passes make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.hooks import Bracket, Ended
from passel.hooks import Run as ObservedRun
from passel.passes.outcome import PLAIN, UNCHANGED, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.errors import Failure
    from passel.execution.failure_texts import Failures
    from passel.execution.options import RunOptions
    from passel.hooks import Instrumentor
    from passel.ir import FindsDialects, InvalidIR
    from passel.passes import PassContext
    from passel.schedule import Step


class Examiner(ObservedRun):
    """The part of a run that finds the changes of passes, verifies ops and reports failures.

    It compares ops with their last valid states.

    Attributes:
        failing: The factory of failures.
        hooks: The hooks.
        options: The checks to make.
        verifies: Whether the IR is verified after passes.
        knows_changes: Whether outcomes record whether the op was changed.
        tracks: Whether fingerprints are taken to find the changes of passes.
        isolates: Whether changes by passes on other ops are detected.
        defers: Whether claims to preserve everything are checked only when the pipeline ends.
        skips: Whether ops with unchanged fingerprints are not verified.
        dialects: The check of dependent dialects; None if the run makes none.
    """

    failing: Failures
    hooks: Instrumentor
    options: RunOptions
    knows_changes: bool
    tracks: bool
    isolates: bool
    defers: bool
    skips: bool
    dialects: DialectCheck | None

    def examine(self, step: Step, ctx: PassContext[Any]) -> Outcome:
        """Find out whether a pass has changed its op, and verify the op if needed.

        The op is verified after a successful pass, unless the run does not verify, the pass has
        verified it, the op has not changed, or siblings are verified together.
        """
        was, changed, failure = ctx.valid_state, None, None
        if self.tracks:
            ctx.valid_state = self.adapter.renew_fingerprint(ctx.op, was)
            changed = ctx.valid_state is not was
            if not changed and self.skips and not ctx.deferred:
                return UNCHANGED
        deferred, ctx.deferred = ctx.deferred, []
        if self.dialects is not None and changed:
            failure = self.dialects.check(step, ctx.op)
        if failure is None and ctx.preserves_all and not self.defers:
            failure = self.failing.broken_claim(step, ctx.op) if changed else None
        elif not (failure or ctx.is_verified or (changed is False and self.skips)):
            failure = self.verify(step, ctx.op, deferred)
        outcome = PLAIN[changed if self.knows_changes else None]
        return outcome if failure is None else outcome + self.tell(ctx, failure)

    def verify(self, step: Step, op: Any, deferred: Sequence[Step] = ()) -> Failure | None:
        """Verify an op with all nested ops, and return the failure if it is invalid.

        Args:
            step: The step that has just run.
            op: The op.
            deferred: Earlier steps that may be at fault as well.
        """
        error = self.error_in(step, op, recursive=True)
        return None if error is None else self.failing.invalid(step, op, error, deferred)

    def error_in(self, step: Step, op: Any, *, recursive: bool) -> InvalidIR | None:
        """Return the verifier's error about an op after a step, if the step is verified."""
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


class DialectCheck:
    """Check of `dependent_dialects`, for IRs that do not enforce them.

    Args:
        failures: The factory of failures.
        finder: The adapter, which finds the dialects of ops.
        context: The IR's own context.
    """

    def __init__(self, failures: Failures, finder: FindsDialects, context: Any) -> None:
        self._failures = failures
        self._finder = finder
        self._context = context
        self._known: set[str] = set()

    def start(self, op: Any) -> None:
        """Record the dialects of the input as known."""
        self._known = set(self._finder.dialects_in(op))

    def check(self, step: Step, op: Any) -> Failure | None:
        """Return the failure of a pass that made an op of a dialect that is not loaded."""
        known = self._known | set(self._finder.loaded_dialects(self._context))
        found = self._finder.dialects_in(op)
        new = [dialect for dialect in found if dialect not in known]
        self._known.update(new)
        if not new or not self._finder.declares_dialects(step.pass_):
            return None
        return self._failures.undeclared(step, op, found[new[0]], new[0])
