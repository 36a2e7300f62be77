"""One run of one schedule on an op: the only place where passes are executed.

`Run.perform` reads top to bottom in the order in which things happen to one op: gates, the body, is
the op still there, what its analyses are worth now, what has changed, and is that valid.

Source: `OpToOpPassAdaptor::run` and `runPipeline`, MLIR 22.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from passel.analysis import PreservedAnalyses
from passel.errors import PassFailure
from passel.execution.dynamic import blame, run_dynamic, run_elsewhere
from passel.execution.facts import RunFacts
from passel.execution.failures import BESIDE, Violation
from passel.execution.level import Level
from passel.hooks import Bracket, Ended
from passel.passes.outcome import CHANGED, PLAIN, UNCHANGED, UNKNOWN, Outcome, sum_of
from passel.schedule import matched_now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.errors import Failure
    from passel.passes import PassContext
    from passel.schedule import NestedStep, Pipeline, Schedule, Step

_NOTHING: frozenset[type] = frozenset()

_SKIPPED = Outcome()
"""The outcome of what a gate has kept from running."""


class Run(RunFacts):
    """One run of a schedule."""

    op: Any
    pipeline: Pipeline
    outcome: Outcome

    # -- The run ------------------------------------------------------------------------------

    def run(self, schedule: Schedule, op: Any, parent: Step | None = None) -> Outcome:
        """Run the pipeline of a schedule.

        Args:
            schedule: What to run.
            op: The op.
            parent: The step of the outer run that this one is a part of.

        Raises:
            BaseException: The run was interrupted. `outcome` says how far it came.
        """
        __tracebackhide__ = True  # in tracebacks of interrupts
        self.op, self.pipeline, self.hooks.run = op, schedule.pipeline, self
        if self.pipeline.nests_late:
            self.matched.update(matched_now(self.adapter, self.pipeline, op))
        try:
            with Bracket(self.hooks, "run", self) as hooks:
                try:
                    self.outcome = self.initialize(schedule, op)
                    if not self.outcome.failures:
                        if self.dialects is not None:
                            self.dialects.start(op)
                        ctx = self.context(op, self.plan(schedule.pipeline, op))
                        with self.adapter.reporting(self.ir_context, self.hear):
                            self.outcome = self.run_nested(parent, ctx)
                except BaseException:
                    self.outcome = self.reports.so_far() + Outcome(None, tuple(self.interruptions))
                    raise
                hooks.ended = Ended(bool(self.outcome.failures))
        finally:
            self.hooks.forget_run()
        return self.outcome

    run_dynamic = run_dynamic
    run_elsewhere = run_elsewhere
    blame = blame

    # -- The loop -------------------------------------------------------------------------------

    def run_nested(self, parent: Step | None, ctx: PassContext[Any]) -> Outcome:
        """Run a pipeline on one op, between its hooks if a step runs it."""
        __tracebackhide__ = True
        if parent is None or not self.hooks.sees["pipeline"]:
            return self.run_pipeline(ctx)
        with Bracket(self.hooks, "pipeline", ctx.plan.pipeline, ctx.op, parent) as hooks:
            outcome = self.run_pipeline(ctx)
            hooks.ended = Ended(bool(outcome.failures))
        return outcome

    def run_pipeline(self, ctx: PassContext[Any]) -> Outcome:
        """Run all steps on one op, up to the first that fails."""
        __tracebackhide__ = True
        if self.hooks.sees_steps:
            total = self.run_observed(ctx)
        else:
            total = self.run_steps(ctx.plan.steps, ctx)
        if total.failures:
            ctx.good = None  # whatever state that left behind
        else:
            # Where changes are not known, claims on an op are settled with the one around it.
            if ctx.claims and (self.tracks or ctx.parent is None):
                total += self.check_claims(ctx)
            if ctx.plan.rejected is not None:
                plan = ctx.plan
                rejected = self.failing.unschedulable(plan.rejected, ctx.op, plan.rejection)
                total += self.tell(ctx, rejected)
        if ctx.cached is not None:
            if ctx.caller is not None and (kept := self.preserved(ctx.plan.pipeline)):
                ctx.cached.invalidate(PreservedAnalyses(kept))
            else:
                ctx.cached.clear()
        return total

    def run_observed(self, ctx: PassContext[Any]) -> Outcome:
        """Run steps, each between its hooks, which are called whatever ends it."""
        __tracebackhide__ = True
        total = UNCHANGED
        for step in ctx.plan.steps:
            outcome, ctx.failure, ctx.is_news = UNCHANGED, None, False
            hooks = Bracket(self.hooks, "pass", step, ctx.op)
            hooks.refused = partial(self.failing.raised, step, ctx.op)
            try:
                with hooks:
                    try:
                        outcome = self.run_steps((step,), ctx)
                    except BaseException:
                        failure = self.interruptions[-1]
                        hooks.ended = Ended(True, failure, outcome=Outcome(None, (failure,)))
                        raise
                    failed, skipped = bool(outcome.failures), outcome is _SKIPPED
                    is_news = ctx.is_news and not failed
                    hooks.ended = Ended(failed, ctx.failure, skipped, is_news, outcome)
            except PassFailure as error:  # of a hook that judges passes
                if error.kind == "isolation":
                    self._accept_outside(ctx)
                failure = hooks.ended.failure or self.failing.raised(step, ctx.op, error)
                outcome += self.tell(ctx, failure)
            total += outcome
            if outcome.failures:
                break
        return total

    def run_steps(self, steps: Iterable[Step], ctx: PassContext[Any]) -> Outcome:  # noqa: C901, PLR0915 - the loop
        """Run some steps on one op, up to the first that fails."""
        __tracebackhide__ = True  # in tracebacks of passes, which pytest and IPython show
        op, total, step = ctx.op, UNCHANGED, ctx.step
        try:
            for step in steps:
                failure, outcome = None, UNKNOWN
                ctx.step, ctx.preserves_all, ctx.preserved = step, False, _NOTHING
                try:
                    if self.gates and not all(gate(step, op) for gate in self.gates):
                        total += _SKIPPED
                        continue
                    if step.pass_ is None:
                        outcome = self.run_siblings(step, ctx)
                    else:
                        if ctx.good is None and self.tracks:
                            ctx.good = self.adapter.fingerprint(op)
                        self.at_work = ctx
                        step.pass_.run(op, ctx)
                except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                    failure = self._raised(step, ctx, error)
                self.at_work = None
                if self.process is not self.this_process:
                    os._exit(0)  # a child that the pass let go on
                if (place := self.place_of(op)) is not ctx.place and place != ctx.place:
                    failure, outcome = failure or self._lost(step, ctx), outcome + CHANGED
                elif ctx.cached is not None:
                    failure = self.invalidate(step, ctx, outcome, failure)
                if self.examines and failure is None and step.pass_ is not None:
                    if ctx.preserves_all and self.trusts_claims:
                        ctx.claims.append(step)  # believed until the pipeline ends
                        outcome = self.claimed
                        if self.finds_news:
                            self._see(ctx)
                    elif ctx.record is None or not ctx.record.outcome.failures:
                        outcome, failure = self.examine(step, ctx)
                if failure is not None or ctx.record is not None:
                    outcome += self.tell(ctx, failure)
                if outcome is not total:
                    total += outcome
                    if outcome.failures:
                        break
        except BaseException as error:
            self._interrupt(step, ctx, error)
            raise
        return total

    # -- What steps have changed, and whether it is valid --------------------------------------

    def examine(self, step: Step, ctx: PassContext[Any]) -> tuple[Outcome, Failure | None]:
        """Find out what a pass has changed since the op was last valid, and judge that.

        After a pass that has succeeded, its op is verified, unless the run does not verify, nothing
        has changed, or siblings are verified together (`_settle`).
        """
        was, changed, failure = ctx.good, None, None
        if self.tracks:
            now = self.renew(ctx.op, was)
            changed = now is not was
            if not changed and self.skips and not ctx.claims:
                return UNCHANGED, None
            ctx.is_news = changed if ctx.seen is None else now != ctx.seen
            ctx.good, ctx.seen = now, None
        claims, ctx.claims = ctx.claims, []
        if self.dialects is not None and changed:
            failure = self.dialects.check(step, ctx.op)
        if failure is None and ctx.preserves_all:
            failure = self.failing.broken_claim(step, ctx.op) if changed else None
        elif failure is None and (changed is not False or not self.skips):
            failure = self.verify(step, ctx.op, claims)
        return PLAIN[changed if self.knows_changes else None], failure

    def _see(self, ctx: PassContext[Any]) -> None:
        """Find out for observers whether a pass has changed what it claims not to change."""
        before = ctx.good if ctx.seen is None else ctx.seen
        ctx.seen = self.renew(ctx.op, before)
        ctx.is_news = ctx.seen is not before

    def check_claims(self, ctx: PassContext[Any]) -> Outcome:
        """Hold passes that state that they preserve everything to it, once for all of them."""
        (*claims, step), ctx.claims, was, ctx.seen = ctx.claims, [], ctx.good, None
        ctx.good = self.renew(ctx.op, was) if self.knows_changes else None
        if self.knows_changes and ctx.good is was:
            return UNCHANGED
        failure = self.verify(step, ctx.op, claims)
        changed = PLAIN[self.knows_changes]
        return changed if failure is None else changed + self.tell(ctx, failure)

    # -- Siblings ---------------------------------------------------------------------------------

    def run_siblings(self, step: NestedStep, ctx: PassContext[Any]) -> Outcome:
        """Run nested pipelines on the ops inside; a failure on one does not keep the others."""
        __tracebackhide__ = True
        checked = self.check_claims(ctx) if ctx.claims else UNCHANGED
        level = Level(self, step, ctx)
        if checked.failures or not level.tasks:
            return checked
        if self.hooks.sees_steps:
            self.number(level.children)
        if self.isolates:
            level.track()
        outcomes: list[Outcome] = []
        ctx.level = level
        try:
            for outcome in self.strategy.share(self, level):
                outcomes.append(outcome)  # noqa: PERF402 - those that come before an interrupt count
            outcomes.append(level.settle(outcomes))
        finally:
            ctx.level = None
        total = sum_of(outcomes)
        if total.changed is not False:
            ctx.good = None
        return checked + total

    def run_sibling(self, task: PassContext[Any]) -> Outcome:
        """Run a nested pipeline on one op, if it is still there, and noticing what others did."""
        __tracebackhide__ = True
        assert task.parent is not None  # noqa: S101 - ops of a level have one
        level: Level = task.parent.level
        if level.gone and not self.lifetime.survives_loss:
            return UNCHANGED
        if not level.is_in_place(task.number, task.place):
            return level.lose(task)
        before = UNCHANGED
        if level.is_tracked and level.done and not level.enter(task):
            violation = Violation(task.op, BESIDE, range(task.number))
            before = level.tell_violation(violation)
            if self.verify(level.step, task.op) is not None:
                return before  # passes may fail in any way on what is invalid
        outcome = self.run_nested(level.step, task)
        level.leave(task, outcome)
        return before + outcome

    def _accept_outside(self, ctx: PassContext[Any]) -> None:
        """Take what is around an op as it is now: the pass that changed it has failed already."""
        inner, outer = ctx, ctx.parent
        while outer is not None:
            if outer.level is not None:
                list(outer.level.violations(inner.op))
            inner, outer = outer, outer.parent

    # -- Failures ------------------------------------------------------------------------------

    def _raised(self, step: Step, ctx: PassContext[Any], error: Exception) -> Failure | None:
        if not self.lifetime.survives_loss and self.place_of(ctx.op) != ctx.place:
            return None  # it raised because its op is gone, which is the failure
        return self.failing.raised(step, ctx.op, error)

    def _interrupt(self, step: Step, ctx: PassContext[Any], error: BaseException) -> None:
        """Take note of where the run was interrupted: in the innermost step."""
        if self.process is not self.this_process:
            os._exit(0)
        if not self.interruptions:
            lost = self.place_of(ctx.op) != ctx.place
            failure = (
                self._lost(step, ctx) if lost else self.failing.interrupted(step, ctx.op, error)
            )
            failure.diagnostic.detach(render=False)
            error.add_note(str(failure))
            self.interruptions.append(failure)
            self.tell(ctx)

    def _lost(self, step: Step, ctx: PassContext[Any]) -> Failure:
        """Return the failure of a step whose op is gone: the enclosing op stands for it."""
        enclosing = ctx.parent
        while enclosing is not None and self.place_of(enclosing.op) != enclosing.place:
            enclosing = enclosing.parent
        return self.failing.lost(step, ctx.plan.op_name, enclosing and enclosing.op)
