"""The step runner: the only place where passes are executed.

`run_step` reads top to bottom in the order in which things happen to one op: hooks before,
gate, body, lifetime check, invalidation, verification, hooks after.

Source: `OpToOpPassAdaptor::run` and `runPipeline`, MLIR 22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.analysis import PreservedAnalyses
from passel.errors import PassFailure
from passel.execution.examination import Examiner
from passel.execution.fused_failure import FusedFailure
from passel.execution.kept import KeptAnalyses
from passel.execution.outcome import CHANGED, UNCHANGED, UNKNOWN, Outcome, merge
from passel.execution.strategies.child_run import ChildRun
from passel.execution.strategies.watch import own_progress
from passel.hooks import Bracket, Ended

if TYPE_CHECKING:
    from passel.execution.context import OpContext
    from passel.execution.services import RunServices
    from passel.execution.strategies import SiblingStrategy
    from passel.execution.strategies.watch import Progress
    from passel.schedule import NestedStep, Step


class StepRunner:
    """Runs steps on ops, one after the other.

    Args:
        services: What the run's parts share.
        strategy: How siblings share the work.

    Attributes:
        kept: Knows what steps preserve.
    """

    def __init__(self, services: RunServices, strategy: SiblingStrategy) -> None:
        self._services = services
        self._hooks = services.hooks
        self._gates = tuple(services.gates)
        self._prepares = bool(services.gates) or bool(services.hooks.sees["pass"])
        self._failures = services.failures
        self._reports = services.reports
        self._place_of = services.policies.lifetime.place_of
        self.kept: KeptAnalyses = KeptAnalyses()
        self._examiner = Examiner(services)
        self._examines = services.verifies or services.tracks
        self._tracks = services.tracks
        self._listens = services.hooks.sees_steps
        self._strategy = strategy
        self._watched: Any = None  # runs passes in a way of its own
        if (progress := own_progress()) is not None:
            self._watched = _Noted(progress)

    def run_pipeline(self, ctx: OpContext) -> Outcome:
        """Run a pipeline's steps on one op, in order, up to the first that fails."""
        outcomes: list[Outcome] = []
        last, run_step, plan, op = UNCHANGED, self.run_step, ctx.plan, ctx.op
        for step in plan.steps:
            outcome = run_step(step, op, ctx)
            if outcome is not last:
                outcomes.append(outcome)
                if outcome.failures:
                    ctx.op_state.last_valid = None  # whatever state that left behind
                    break
                last = outcome
        else:
            # Where changes are not known, claims on an op are settled with the one around it.
            if ctx.op_state.claims and (self._tracks or ctx.parent is None):
                outcomes.append(self._examiner.check_claims(op, ctx))
            if plan.rejected is not None:
                failure = self._failures.unschedulable(plan.rejected, op, plan.rejection)
                outcomes.append(self._reports.fail_step(ctx, failure))
        self._services.end_copy()
        if ctx.cached is not None:
            if ctx.is_dynamic and (kept := self.kept.by_pipeline(plan.pipeline)):
                ctx.cached.invalidate(PreservedAnalyses(kept))
            else:
                ctx.cached.clear()
        return merge(outcomes)

    def run_step(self, step: Step, op: Any, ctx: OpContext) -> Outcome:
        """Run one step on one op."""
        __tracebackhide__ = True  # in tracebacks of passes, which pytest and IPython show
        ctx.step, ctx.preserved, ctx.preserves_all = step, None, False
        try:
            try:
                if self._prepares and not self._begin(step, op, ctx):
                    outcome = UNCHANGED
                elif step.pass_ is not None:
                    if self._tracks and ctx.op_state.last_valid is None:
                        self._examiner.start(ctx)
                    body: Any = self._watched or step.pass_
                    body.run(op, ctx)
                    outcome = UNKNOWN
                else:
                    outcome = self._nest(step, op, ctx)
            except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                outcome = self._raised(step, op, ctx, error)
            if (place := self._place_of(op)) is not ctx.place and place != ctx.place:
                outcome = self._lose(step, ctx, outcome)
            if ctx.cached is not None:
                outcome = self._invalidate(step, op, ctx, outcome)
            if self._examines and not outcome.failures:
                outcome = self._examiner.examine(step, op, ctx, outcome)
        except BaseException as error:  # noqa: BLE001 - an interrupt: raised when all hooks are closed
            outcome = self._interrupt(step, op, ctx, error)
        if self._listens or ctx.record is not None:
            outcome = self._close(step, op, ctx, outcome)
        return outcome

    # -- The phases of a step ---------------------------------------------------------------

    def _begin(self, step: Step, op: Any, ctx: OpContext) -> bool:
        """Call hooks and gates before the body, and return whether the body is to run."""
        ctx.failure = None
        ctx.bracket = Bracket(self._hooks, "pass", step, op)
        ctx.bracket.open()
        if not self._gates or all(gate(step, op) for gate in self._gates):
            return True
        ctx.preserves_all = True
        ctx.bracket.ended = Ended(skipped=True)
        return False

    def _nest(self, step: NestedStep, op: Any, ctx: OpContext) -> Outcome:
        """Run nested pipelines, on an op of which no claim is left to be checked."""
        if not ctx.op_state.claims:
            return ChildRun(step, ctx).run(self._strategy)
        checked = self._examiner.check_claims(op, ctx)
        if checked.failures:
            return checked
        return merge([checked, ChildRun(step, ctx).run(self._strategy)])

    def _raised(self, step: Step, op: Any, ctx: OpContext, error: Exception) -> Outcome:
        """Return the outcome of a body that has raised."""
        self._services.end_copy()
        if isinstance(error, FusedFailure):
            return self._fail_inside(ctx, error)
        if not self._services.policies.lifetime.survives_loss and self._place_of(op) != ctx.place:
            return UNKNOWN  # it raised because its op is gone, which is the failure
        return self._reports.fail_step(ctx, self._failures.raised(step, op, error))

    def _fail_inside(self, ctx: OpContext, error: FusedFailure) -> Outcome:
        outcomes: list[Outcome] = []
        for inner in error.failures:
            ctx.pending_reports().diagnostics += inner.said
            outcomes.append(self._reports.fail_step(ctx, self._failures.inside(inner)))
        ctx.pending_reports().diagnostics += error.said
        return merge([*outcomes, self._reports.close(ctx)])

    def _lose(self, step: Step, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Return the outcome of a step whose op is gone: the enclosing op stands for it."""
        if outcome.failures:
            return outcome
        enclosing = ctx.parent
        while enclosing is not None and self._place_of(enclosing.op) != enclosing.place:
            enclosing = enclosing.parent
        failure = self._failures.lost(step, ctx.plan.op_name, enclosing and enclosing.op)
        return merge([outcome, self._reports.fail_step(ctx, failure), CHANGED])

    def _invalidate(self, step: Step, op: Any, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Drop the analyses of the op that the step has not preserved."""
        ran = outcome.kept if ctx.record is None else ctx.record.kept
        analyses, kept = ctx.analyses, self.kept.by_step(step, ran)
        if ctx.preserved:
            kept |= ctx.preserved
        try:
            analyses.invalidate(PreservedAnalyses(kept, all_preserved=ctx.preserves_all))
            if self._services.options.analyses and not outcome.failures:
                analyses.check()
        except Exception as error:  # noqa: BLE001 - an analysis's own code ran: `is_invalidated`
            if not outcome.failures:
                return self._reports.fail_step(ctx, self._failures.raised(step, op, error))
        return outcome

    def _interrupt(self, step: Step, op: Any, ctx: OpContext, error: BaseException) -> Outcome:
        """Return the outcome of what ends the run."""
        self._services.end_copy()
        if self._place_of(op) != ctx.place:
            lost = self._lose(step, ctx, UNCHANGED)
            failure = lost.failures[0]
            failure.diagnostic.detach(render=False)
            error.add_note(str(failure))
        else:
            failure = self._failures.interrupted(step, op, error)
            lost = UNCHANGED
        ctx.failure = failure
        told = self._reports.close(ctx)
        return Outcome(
            None, (failure,), (*told.diagnostics, *lost.diagnostics), told.counts, interrupt=error
        )

    def _close(self, step: Step, op: Any, ctx: OpContext, outcome: Outcome) -> Outcome:
        """Report what is left to report, and call the hooks after the step."""
        if ctx.record is not None:
            try:
                outcome = merge([outcome, self._reports.close(ctx)])
            except BaseException as error:  # noqa: BLE001 - raised when all hooks are closed
                outcome = merge([outcome, self._interrupt(step, op, ctx, error)])
        if (bracket := ctx.bracket) is None:
            return outcome
        ended = bracket.ended
        failure = outcome.failures[-1] if outcome.interrupt else ctx.failure
        bracket.ended = Ended(
            bool(outcome.failures), failure, ended.skipped, ended.changed, outcome
        )
        try:
            bracket.close()
        except PassFailure as error:
            failure = self._failures.raised(step, op, error)
            outcome = merge([outcome, self._reports.fail_step(ctx, failure)])
        except BaseException as error:  # noqa: BLE001 - an interrupt: raised when all hooks are closed
            outcome = merge([outcome, self._interrupt(step, op, ctx, error)])
        return outcome


class _Noted:
    """Runs passes in a worker, which notes each that no other runs, as it may die of it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._is_amid = False

    def run(self, op: Any, ctx: OpContext) -> None:
        __tracebackhide__ = True
        was_amid, self._is_amid = self._is_amid, True
        if not was_amid:
            self._progress.set_pass(ctx.step)
        body: Any = ctx.step.pass_
        try:
            body.run(op, ctx)
        finally:
            self._is_amid = was_amid
