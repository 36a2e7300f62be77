"""The step runner: the only place where passes are executed.

`run_step` reads top to bottom in the order in which things happen to one op: hooks before,
gate, body, lifetime check, invalidation, verification, hooks after.

Source: `OpToOpPassAdaptor::run` and `runPipeline`, MLIR 22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from passel.analysis import PreservedAnalyses
from passel.errors import PassFailure
from passel.execution.changes import ChangeTracker
from passel.execution.fusion import FusedFailure
from passel.execution.outcome import CHANGED, UNCHANGED, UNKNOWN, Outcome, merge, plain
from passel.instruments.hooks import HookStopped

if TYPE_CHECKING:
    from passel.errors import Failure
    from passel.execution.context import OpContext
    from passel.execution.plans import Plan
    from passel.execution.services import RunServices
    from passel.execution.verification import Verifier
    from passel.schedule import NestedStep, Step


class RunsChildren(Protocol):
    """Runs nested pipelines on the ops immediately inside of an op."""

    def __call__(self, step: NestedStep, op: Any, ctx: OpContext, /) -> Outcome:
        """Run them and return the merged outcome."""
        ...


class StepRunner:
    """Runs steps on ops, one after the other.

    Args:
        services: What the run's parts share.
        verifier: Verifies.
        run_children: Runs nested pipelines.
    """

    def __init__(
        self, services: RunServices, verifier: Verifier, run_children: RunsChildren
    ) -> None:
        self._services = services
        self._hooks = services.hooks
        self._gates = tuple(services.gates)
        self._prepares = bool(
            services.gates or services.tracks or services.hooks.before_pass is not None
        )
        self._failures = services.failures
        self._reports = services.reports
        self._place_of = services.policies.lifetime.place_of
        self._tracker = ChangeTracker(services.adapter) if services.tracks else None
        self._examines = services.verifies or services.tracks
        self._verifies = services.verifies
        self._dialects = services.dialects
        self._skips = services.skips
        self._defers = services.defers
        self._doubts_claims = services.checks.claims
        self._isolates = services.checks.isolation
        self._tells_changes = services.knows_changes
        self._trusts_unchanged = self._skips and not self._isolates
        self._listens = services.hooks.sees_steps
        self._verifier = verifier
        self._run_children = run_children

    def run_pipeline(self, plan: Plan, op: Any, ctx: OpContext) -> Outcome:
        """Run a pipeline's steps on one op, in order, up to the first that fails."""
        outcomes: list[Outcome] = []
        last, run_step, ctx.plan = UNCHANGED, self.run_step, plan
        for step in plan.steps:
            outcome = run_step(step, op, ctx)
            if outcome is not last:
                outcomes.append(outcome)
                if outcome.failures:
                    ctx.good = None  # whatever state that left behind
                    break
                last = outcome
        else:
            if ctx.claims:
                outcomes.append(self._check_claims(op, ctx))
            if plan.rejected is not None:
                failure = self._failures.unschedulable(plan.rejected, op, plan.rejection)
                outcomes.append(self.fail(ctx, failure))
        if ctx.cached is not None:
            ctx.cached.clear()
        return merge(outcomes)

    def run_step(self, step: Step, op: Any, ctx: OpContext) -> Outcome:
        """Run one step on one op."""
        ctx.step, ctx.preserved, ctx.preserves_all = step, None, False
        ctx.failure = limit = None
        try:
            try:
                if self._prepares and not self._prepare(step, op, ctx):
                    outcome = UNCHANGED
                elif step.pass_ is not None:
                    step.pass_.run(op, ctx)
                    outcome = UNKNOWN
                else:
                    outcome = self._run_children(step, op, ctx)
            except HookStopped as stop:
                limit = stop.limit
                outcome = self._raised(step, op, ctx, stop.error)
            except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                outcome = self._raised(step, op, ctx, error)
            if (place := self._place_of(op)) is not ctx.place and place != ctx.place:
                outcome = self._lose(step, ctx, outcome)
            if ctx.cached is not None:
                outcome = self._invalidate(step, op, ctx, outcome)
            if self._examines and not outcome.failures:
                outcome = self._examine(step, op, ctx, outcome)
        except BaseException as error:  # noqa: BLE001 - an interrupt: raised when all hooks are closed
            outcome = self._interrupt(step, op, ctx, error)
        if self._listens or ctx.record is not None:
            outcome = self._close(step, op, ctx, outcome, limit)
        return outcome

    def fail(self, ctx: OpContext, failure: Failure) -> Outcome:
        """Report a failure, after what the pass has reported, and return its outcome."""
        ctx.failure = failure
        told = self._told(ctx)
        return merge([told, self._reports.fail(failure)])

    def flush(self, ctx: OpContext) -> None:
        """Report what the pass has told so far."""
        if (record := ctx.record) is not None and record.diagnostics:
            diagnostics = self._reports.detach(record.diagnostics)
            record.diagnostics = []
            record.reported += diagnostics
            self._reports(diagnostics)

    def _told(self, ctx: OpContext) -> Outcome:
        """Report what the pass has told, and return it as an outcome that changes nothing."""
        self.flush(ctx)
        record, ctx.record = ctx.record, None
        if record is None:
            return UNCHANGED
        return Outcome(False, (), tuple(record.reported), record.counts)

    # -- The phases of a step ---------------------------------------------------------------

    def _prepare(self, step: Step, op: Any, ctx: OpContext) -> bool:
        """Do what comes before the body, and return whether the body is to run."""
        hooks = self._hooks
        if ctx.good is None and self._tracker is not None and step.pass_ is not None:
            try:
                self._tracker.before(ctx)
            except BaseException as error:  # noqa: BLE001 - raised again, with who was not called
                raise HookStopped(error, limit=-1) from None
        if hooks.before_pass is not None:
            hooks.before_pass(step, op)
        if not self._gates or all(gate(step, op) for gate in self._gates):
            return True
        ctx.preserves_all = True
        if hooks.pass_skipped is not None:
            hooks.pass_skipped(step, op)
        return False

    def _raised(self, step: Step, op: Any, ctx: OpContext, error: BaseException) -> Outcome:
        """Return the outcome of a body that has raised.

        Raises:
            BaseException: It is an interrupt.
        """
        if isinstance(error, FusedFailure):
            return self._fail_inside(ctx, error)
        survives = self._services.policies.lifetime.survives_loss and isinstance(error, Exception)
        if not survives and self._place_of(op) != ctx.place:
            return UNKNOWN  # it raised because its op is gone, which is the failure
        if isinstance(error, PassFailure):
            return self.fail(ctx, self._failures.gave_up(step, op, error))
        if isinstance(error, Exception):
            return self.fail(ctx, self._failures.crashed(step, op, error))
        raise error

    def _fail_inside(self, ctx: OpContext, error: FusedFailure) -> Outcome:
        outcomes: list[Outcome] = []
        for inner in error.failures:
            ctx.told().diagnostics += inner.said
            outcomes.append(self.fail(ctx, self._failures.inside(inner)))
        ctx.told().diagnostics += error.said
        return merge([*outcomes, self._told(ctx)])

    def _lose(self, step: Step, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Return the outcome of a step whose op is gone: the op around stands for it."""
        if outcome.failures:
            return outcome
        around = ctx.parent
        while around is not None and self._place_of(around.op) != around.place:
            around = around.parent
        failure = self._failures.lost(step, ctx.plan.op_name, around and around.op)
        return merge([outcome, self.fail(ctx, failure), CHANGED])

    def _invalidate(self, step: Step, op: Any, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Drop the analyses of the op that the step has not preserved."""
        analyses, kept = ctx.analyses, ctx.preserved or ()
        if step.pass_ is not None:  # nested passes cannot know what was computed out here
            kept = (*step.pass_.preserves, *kept)
        try:
            analyses.invalidate(PreservedAnalyses(kept, all_preserved=ctx.preserves_all))
            if self._services.checks.analyses and not outcome.failures:
                analyses.check()
        except PassFailure as error:
            failure = self._failures.gave_up(step, op, error)
        except Exception as error:  # noqa: BLE001 - an analysis's own code ran: `is_invalidated`
            failure = self._failures.crashed(step, op, error)
        else:
            return outcome
        return outcome if outcome.failures else self.fail(ctx, failure)

    def _examine(self, step: Step, op: Any, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Find out what the step has changed, and verify that."""
        if outcome is UNCHANGED or step.pass_ is None or step.is_fused:
            return self._take_over(step, ctx, outcome)
        tracker, claims = self._tracker, ctx.claims
        if ctx.preserves_all and (tracker is None or not self._doubts_claims):
            ctx.claims = (*claims, step)  # checked when the pipeline ends
            if tracker is not None and self._hooks.after_change is not None:
                self._tell_change(step, op, tracker.looks_changed(ctx))
            return UNCHANGED if self._verifies else UNKNOWN
        is_news = tracker is not None and ctx.seen is not None and tracker.looks_changed(ctx)
        changed = None if tracker is None else tracker.after(ctx)
        if changed is False and ctx.seen is None and self._trusts_unchanged:
            return UNCHANGED
        failure = self._judge(step, op, ctx, changed, claims)
        if failure is not None:
            return merge([plain(changed), self.fail(ctx, failure)])
        self._tell_change(step, op, is_news if ctx.seen is not None else changed)
        ctx.seen = None
        return plain(changed) if self._tells_changes else UNKNOWN

    def _tell_change(self, step: Step, op: Any, changed: bool | None) -> None:
        if changed and self._hooks.after_change is not None:
            self._hooks.after_change(step, op)

    def _judge(
        self,
        step: Step,
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
        return self._check_isolation(step, op, ctx) if self._isolates else None

    def _take_over(self, step: Step, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Take note of a step that has looked after changes and verification by itself."""
        if outcome.changed is not False:
            ctx.good, ctx.claims = None, ()
            if step.is_fused:
                ctx.unsettled = (*ctx.unsettled, step)
        return outcome

    def _check_isolation(self, step: Step, op: Any, ctx: OpContext) -> Failure | None:
        """Look for changes outside of the op, which only this step can have made."""
        inner, outer = ctx, ctx.parent
        while outer is not None and outer.siblings is not None:
            for trespass in outer.siblings.compare_others(inner.op):
                return self._failures.trespass_of(step, op, trespass)
            inner, outer = outer, outer.parent
        return None

    def _check_claims(self, op: Any, ctx: OpContext) -> Outcome:
        """Hold what passes said of preserving everything against the op."""
        *claims, step = ctx.claims
        if self._tracker is None or not self._tells_changes:
            return UNCHANGED
        if not self._tracker.broke_claims(ctx):
            return UNCHANGED
        failure = None
        if self._verifies:
            failure = self._verifier.verify(step, op, recursive=True, claims=claims)
        return CHANGED if failure is None else merge([CHANGED, self.fail(ctx, failure)])

    def _interrupt(self, step: Step, op: Any, ctx: OpContext, error: BaseException) -> Outcome:
        """Return the outcome of what ends the run."""
        if isinstance(error, HookStopped):
            error = error.error
        if self._place_of(op) != ctx.place:
            lost = self._lose(step, ctx, UNCHANGED)
            failure = lost.failures[0]
        else:
            failure = self._failures.interrupted(step, op, error)
            lost = UNCHANGED
        failure.diagnostic.detach(render=False)
        ctx.failure = failure
        error.add_note(str(failure))
        told = self._told(ctx)
        return Outcome(
            None, (failure,), (*told.diagnostics, *lost.diagnostics), told.counts, interrupt=error
        )

    def _close(
        self, step: Step, op: Any, ctx: OpContext, outcome: Outcome, limit: int | None
    ) -> Outcome:
        """Report what is left to report, and call the hooks after the step."""
        hooks, extra = self._hooks, {} if limit is None else {"limit": limit}
        if ctx.record is not None:
            try:
                outcome = merge([outcome, self._told(ctx)])
            except BaseException as error:  # noqa: BLE001 - raised when all hooks are closed
                outcome = merge([outcome, self._interrupt(step, op, ctx, error)])
        try:
            if outcome.failures:
                if hooks.after_pass_failed is not None:
                    own = outcome.failures[-1] if outcome.interrupt else ctx.failure
                    hooks.after_pass_failed(step, op, own, **extra)
            elif hooks.after_pass is not None:
                hooks.after_pass(step, op, **extra)
        except PassFailure as error:
            failure = self._failures.gave_up(step, op, error)
            outcome = merge([outcome, self.fail(ctx, failure)])
        except BaseException as error:  # noqa: BLE001 - an interrupt: raised when all hooks are closed
            outcome = merge([outcome, self._interrupt(step, op, ctx, error)])
        return outcome
