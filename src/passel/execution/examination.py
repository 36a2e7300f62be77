"""Examination: what a step has changed, and whether the op is good after it.

An op's state is its fingerprint. It is known from one pass to the next, so that it is taken once
per pass, and only in runs that need it: to verify what changed and nothing else, to report
changes, or to hold passes to what they state.

After a pass that has succeeded, its op is verified, unless

* the run does not verify;
* the fingerprint shows that nothing has changed, in runs that verify what changed;
* the pass states that it preserves everything: such claims are checked together, before nested
  pipelines and at the end of the pipeline, and what may have been changed is verified then;
* it is the last pass of a nested pipeline, and the IR verifies siblings together with the
  enclosing op (`ChildRun.settle`);
* it is a `FusedStep`, which the IR has verified by itself: the run's op is verified as a whole in
  the end (`PipelineRunner.run_root`).

The enclosing op is verified when nested pipelines have changed anything (`ChildRun.settle`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.execution.enclosing import changes_outside
from passel.execution.fingerprints import PartedFingerprint
from passel.execution.outcome import UNCHANGED, UNKNOWN, Outcome, merge, plain
from passel.execution.verification import verify
from passel.hooks import Ended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.errors import Failure
    from passel.execution.context import OpContext
    from passel.execution.services import RunServices
    from passel.schedule import PassStep, Step


class Examiner:
    """Finds out what steps have changed, judges it, and has it verified.

    Args:
        services: What the run's parts share.
    """

    def __init__(self, services: RunServices) -> None:
        self._services = services
        self._tracks = services.tracks
        self._renew = services.fingerprints.renew
        self._renew_whole = services.fingerprints.renew_whole  # a call less, for each pass and op
        self._trusts_unchanged = services.skips and not services.options.isolation
        self._trusts_claims = not (services.knows_changes and services.options.claims)

    def start(self, ctx: OpContext) -> None:
        """Take the op's state before a pass, if it is not known from what came before."""
        prints, state = self._services.fingerprints, ctx.op_state
        state.last_valid = prints.take_parted(ctx.op) if ctx.plan.nests else prints.take(ctx.op)

    def examine(self, step: Step, op: Any, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Find out what a step that succeeded has changed, and have that verified."""
        if step.pass_ is None or step.is_fused or outcome is UNCHANGED:
            return self._adopt(step, ctx, outcome)
        if ctx.preserves_all and self._trusts_claims:
            return self._note_claim(step, op, ctx)
        state, changed, is_news = ctx.op_state, None, None
        claims, seen = state.claims, state.last_seen
        if self._tracks:
            was = state.last_valid
            renew = self._renew if type(was) is PartedFingerprint else self._renew_whole
            now = renew(op, was)
            state.accept(now)
            changed = now is not was
            if not changed and seen is None and self._trusts_unchanged:
                return UNCHANGED
            is_news = changed if seen is None else now != seen
        failure = self._judge(step, op, ctx, changed, claims)
        if failure is not None:
            return merge([plain(changed), self._services.reports.fail_step(ctx, failure)])
        if is_news and ctx.bracket is not None:
            ctx.bracket.ended = Ended(changed=True)
        return plain(changed) if self._services.knows_changes else UNKNOWN

    def check_claims(self, op: Any, ctx: OpContext) -> Outcome:
        """Hold what passes have stated of preserving everything against the op.

        What cannot be compared is verified.
        """
        state, failure = ctx.op_state, None
        (*claims, step), was = state.claims, state.last_valid
        state.accept(self._renew(op, was) if self._services.knows_changes else None)
        if self._services.knows_changes and state.last_valid is was:
            return UNCHANGED
        changed = plain(self._services.knows_changes)
        if self._services.verifies:
            failure = verify(self._services, step, op, claims)
        return (
            changed
            if failure is None
            else merge([changed, self._services.reports.fail_step(ctx, failure)])
        )

    def _adopt(self, step: Step, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Take note of a step that has looked after changes and verification by itself."""
        if outcome.changed is not False:
            state = ctx.op_state
            state.accept(None if step.is_fused else state.last_valid)
            if step.is_fused:
                state.unsettled.append(step)
        return outcome

    def _note_claim(self, step: PassStep, op: Any, ctx: OpContext) -> Outcome:
        """Believe a pass that states that it preserves everything, until the pipeline ends."""
        state = ctx.op_state
        state.claims.append(step)
        if self._tracks and self._services.hooks.finds_changes and ctx.bracket is not None:
            before = state.last_valid if state.last_seen is None else state.last_seen
            state.last_seen = self._renew(op, before)
            ctx.bracket.ended = Ended(changed=state.last_seen is not before)
        return UNCHANGED if self._services.verifies else UNKNOWN

    def _judge(
        self,
        step: PassStep,
        op: Any,
        ctx: OpContext,
        changed: bool | None,
        claims: Sequence[Step],
    ) -> Failure | None:
        """Verify the op after a pass, and return the failure if there is one."""
        services = self._services
        if services.dialects is not None and changed:
            failure = services.dialects.check(step, op)
            if failure is not None:
                return failure
        if ctx.preserves_all:
            if changed:
                return services.failures.broken_claim(step, op)
        elif services.defers and ctx.parent is not None and step is ctx.plan.steps[-1]:
            ctx.op_state.deferred = step
        elif services.verifies and (changed is not False or not services.skips):
            failure = verify(services, step, op, claims)
            ctx.op_state.settle()
            if failure is not None:
                return failure
        # What is changed outside the op now, only this pass can have changed.
        violation = next(changes_outside(ctx), None) if services.options.isolation else None
        return None if violation is None else services.failures.violation_of(step, op, violation)
