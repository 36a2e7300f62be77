"""Examination: what a step has changed, and whether the op is good after it.

An op's state is its fingerprint. It is known from one pass to the next, so that it is taken once
per pass, and only in runs that have to know: to verify what changed and nothing else, to tell
who asked, or to hold passes to what they state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.execution.fingerprints import PartedFingerprint
from passel.execution.outcome import CHANGED, UNCHANGED, UNKNOWN, Outcome, merge, plain

if TYPE_CHECKING:
    from passel.errors import Failure
    from passel.execution.context import OpContext
    from passel.execution.services import RunServices
    from passel.execution.verification import Verifier
    from passel.schedule import PassStep, Step


class Examiner:
    """Finds out what steps have changed, judges it, and has it verified.

    Args:
        services: What the run's parts share.
        verifier: Verifies.

    Attributes:
        is_needed: Whether there is anything to examine after steps.
        tracks: Whether the state of an op has to be known before a pass.
    """

    def __init__(self, services: RunServices, verifier: Verifier) -> None:
        checks = services.checks
        self.is_needed: bool = services.verifies or services.tracks
        self.tracks: bool = services.tracks
        self._fingerprints = services.fingerprints
        self._renew = services.fingerprints.renew
        self._renew_whole = services.fingerprints.renew_whole  # a call less, for each pass and op
        self._hooks = services.hooks  # asked each time: a worker's parts take their place
        self._verifier = verifier
        self._verifies = services.verifies
        self._skips = services.skips
        self._defers = services.defers
        self._isolates = checks.isolation
        self._tells_changes = services.knows_changes
        self._trusts_unchanged = services.skips and not checks.isolation
        self._trusts_claims = not (services.tracks and checks.claims)
        self._dialects = services.dialects
        self._failures = services.failures
        self._reports = services.reports

    def start(self, ctx: OpContext) -> None:
        """Take the op's state before a pass, if it is not known from what came before."""
        prints = self._fingerprints
        ctx.good = prints.take_parted(ctx.op) if ctx.plan.nests else prints.take(ctx.op)

    def examine(self, step: Step, op: Any, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Find out what a step that succeeded has changed, and have that verified."""
        if step.pass_ is None or step.is_fused or outcome is UNCHANGED:
            return self._take_over(step, ctx, outcome)
        if ctx.preserves_all and self._trusts_claims:
            return self._note_claim(step, op, ctx)
        changed = is_news = None
        claims, seen = ctx.claims, ctx.seen
        if self.tracks:
            was = ctx.good
            renew = self._renew if type(was) is PartedFingerprint else self._renew_whole
            ctx.good = renew(op, was)
            changed = ctx.good is not was
            ctx.claims, ctx.seen = (), None
            if not changed and seen is None and self._trusts_unchanged:
                return UNCHANGED
            is_news = changed if seen is None else ctx.good != seen
        failure = self._judge(step, op, ctx, changed, claims)
        if failure is not None:
            return merge([plain(changed), self._reports.fail_step(ctx, failure)])
        if is_news and self._hooks.after_change is not None:
            self._hooks.after_change(step, op)
        return plain(changed) if self._tells_changes else UNKNOWN

    def check_claims(self, op: Any, ctx: OpContext) -> Outcome:
        """Hold what passes have stated of preserving everything against the op."""
        if not self._tells_changes or ctx.good is None:
            return UNCHANGED
        (*claims, step), was = ctx.claims, ctx.good
        ctx.good, ctx.claims = self._renew(op, was), ()
        if ctx.good is was:
            return UNCHANGED
        failure = None
        if self._verifies:
            failure = self._verifier.verify(step, op, recursive=True, claims=claims)
        return (
            CHANGED if failure is None else merge([CHANGED, self._reports.fail_step(ctx, failure)])
        )

    def _take_over(self, step: Step, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Take note of a step that has looked after changes and verification by itself."""
        if outcome.changed is not False:
            ctx.claims, ctx.seen = (), None
            if step.is_fused:
                ctx.good = None
                ctx.unsettled = (*ctx.unsettled, step)
        return outcome

    def _note_claim(self, step: PassStep, op: Any, ctx: OpContext) -> Outcome:
        """Believe a pass that states that it preserves everything, until the pipeline ends."""
        ctx.claims = (*ctx.claims, step)
        if self.tracks and self._hooks.after_change is not None:
            before = ctx.good if ctx.seen is None else ctx.seen
            ctx.seen = self._renew(op, before)
            if ctx.seen is not before:
                self._hooks.after_change(step, op)
        return UNCHANGED if self._verifies else UNKNOWN

    def _judge(
        self,
        step: PassStep,
        op: Any,
        ctx: OpContext,
        changed: bool | None,
        claims: tuple[Step, ...],
    ) -> Failure | None:
        """Verify the op after a pass, and return the failure if there is one."""
        if self._dialects is not None and changed:
            failure = self._dialects.check(step, op)
            if failure is not None:
                return failure
        if ctx.preserves_all:
            if changed:
                return self._failures.broken_claim(step, op)
        elif self._defers and ctx.parent is not None and step is ctx.plan.steps[-1]:
            ctx.deferred = step
        elif self._verifies and (changed is not False or not self._skips):
            failure = self._verifier.verify(step, op, recursive=True, claims=claims)
            ctx.unsettled, ctx.claims = (), ()
            if failure is not None:
                return failure
        return self._find_trespass(step, op, ctx) if self._isolates else None

    def _find_trespass(self, step: PassStep, op: Any, ctx: OpContext) -> Failure | None:
        """Look for changes outside of the op, which only this pass can have made."""
        inner, outer = ctx, ctx.parent
        while outer is not None and outer.siblings is not None:
            for trespass in outer.siblings.compare_others(inner.op):
                return self._failures.trespass_of(step, op, trespass)
            inner, outer = outer, outer.parent
        return None
