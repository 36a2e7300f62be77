"""One run of one schedule on an op: the only place where passes are executed.

`Run.perform` reads top to bottom in the order in which things happen to one op: gates, the body, is
the op still there, what its analyses are worth now, what has changed, and is that valid.

Source: `OpToOpPassAdaptor::run` and `runPipeline`, MLIR 22.
"""

from __future__ import annotations

import os
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

from passel.analysis import PreservedAnalyses, in_common
from passel.errors import EncodingError, PassFailure
from passel.execution.dialects import DialectCheck
from passel.execution.dynamic import run_dynamic, run_elsewhere, run_one_by_one
from passel.execution.facts import RunFacts
from passel.execution.failures import Failures, Violation, suspects_of
from passel.execution.level import Level
from passel.execution.matching import matched_now
from passel.execution.options import RunOptions, VerifyEach
from passel.execution.plans import Plans
from passel.execution.reports import Reports
from passel.execution.strategies.sequential import Sequential
from passel.hooks import Bracket, Ended
from passel.ir import FindsDialects, InvalidIR, LowersPasses, ability_of
from passel.passes import PassContext
from passel.passes.outcome import CHANGED, UNCHANGED, UNKNOWN, Outcome, sum_of
from passel.passes.reachable import preserved_by
from passel.schedule import Pipeline, passes_in, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.execution.options import PassGate
    from passel.execution.strategies import SiblingStrategy
    from passel.hooks import Instrumentor
    from passel.ir import IRAdapter, RenewsFingerprints
    from passel.ir.policies import Lifetime
    from passel.schedule import NestedStep, PipelineCompiler, Schedule, Step

_NOTHING: frozenset[type] = frozenset()

_forks: list[None] = []
"""Grows in each process that Python forks, so that a pass's child does not go on with the run."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forks.append(None))

_PLAIN = {False: UNCHANGED, True: CHANGED, None: UNKNOWN}

_SKIPPED = Outcome()
"""The outcome of what a gate has kept from running."""


class Run(RunFacts):
    """One run of a schedule.

    Args:
        compiler: Compiles pipelines for the IR's context.
        hooks: The hooks.
        emit: Called for each diagnostic when it is reported; None if there is no listener.
        options: What is checked.
        gates: What decides whether steps run.
        strategy: How siblings share the work.
        outer: The run whose pass this run is a part of, on ops of another IR.

    Attributes:
        adapter: The adapter of the IR.
        ir_context: The IR's own context.
        op: What the pipeline runs on.
        pipeline: The pipeline as it runs.
        hooks: The hooks.
        options: What is checked.
        gates: What decides whether steps run.
        outer: The run whose pass this run is a part of.
        outcome: How it went, once it is over.
        verifies: Whether the IR is verified after passes.
        tracks: Whether it is found by fingerprint what passes have changed.
        isolates: Whether changes by passes on other ops are noticed.
        reports: Where diagnostics and failures go.
        failing: Makes failures.
        plans: Decides which pipeline runs on which op.
        states: What passes' `initialize` returned.
        do_step: Runs a step, observed or not.
    """

    op: Any
    pipeline: Pipeline
    outcome: Outcome

    def __init__(
        self,
        compiler: PipelineCompiler,
        hooks: Instrumentor,
        emit: Callable[[Diagnostic], None] | None = None,
        *,
        options: RunOptions = RunOptions(),  # noqa: B008 - immutable
        gates: Sequence[PassGate] = (),
        strategy: SiblingStrategy | None = None,
        outer: Run | None = None,
    ) -> None:
        super().__init__(compiler.adapter, hooks)
        self.compiler: PipelineCompiler = compiler
        self.ir_context: Any = compiler.context
        self.options: RunOptions = options
        self.gates: Sequence[PassGate] = gates
        self.outer: Run | None = outer
        self.strategy: SiblingStrategy = strategy or Sequential()
        self._forks = len(_forks)
        self.failing: Failures = Failures(self.adapter)
        self.reports: Reports = Reports(emit, hooks.on_failure)
        self.states: dict[Any, Any] = {}
        self._uninitialized: dict[Schedule, tuple[Step, Exception]] = {}
        self._kept: dict[object, frozenset[type]] = {}
        self._interruptions: list[Failure] = []
        self.do_step: Callable[[Any, Any], Outcome] = (
            self.run_observed if hooks.sees_steps else self.run_step
        )
        self._set_policies(self.adapter, options)

    def _set_policies(self, adapter: IRAdapter, options: RunOptions) -> None:
        """Decide what is compared, verified, and run as one."""
        policies, observed = adapter.policies(), self.hooks.sees_steps
        is_checked = options.analyses or bool(self.gates) or observed
        self.lifetime: Lifetime = policies.lifetime
        self.place_of: Callable[[Any], object] = policies.lifetime.place_of
        self.verifies: bool = options.verify is not VerifyEach.OFF
        self._knows_changes = options.analyses or (policies.finds_changes and self.verifies)
        self.tracks: bool = self._knows_changes or self.hooks.finds_changes
        self.isolates: bool = self.tracks and policies.finds_changes
        self._trusts_claims = not (self._knows_changes and options.claims)
        self._skips = policies.finds_changes and options.verify is VerifyEach.CHANGED
        self._examines = self.verifies or self.tracks
        self._finds_news = self.tracks and self.hooks.finds_changes
        self._claimed = UNCHANGED if self.verifies else UNKNOWN
        self.renew: Callable[[Any, Any], Any] = _renewing(adapter) or self._renewed
        finder = ability_of(adapter, FindsDialects) if options.analyses else None
        self._dialects: DialectCheck | None = (
            None if finder is None else DialectCheck(self.failing, finder, self.ir_context)
        )
        lowers = None if is_checked else ability_of(adapter, LowersPasses)
        lower = None if lowers is None else partial(lowers.lower, verify=self.verifies)
        self.plans: Plans = Plans(adapter, lower)

    def _renewed(self, op: Any, last: Any) -> Any:
        """Return the last fingerprint of an op itself if it is still true, else a new one."""
        now = self.adapter.fingerprint(op)
        return last if now == last else now

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
        self.plans.matched.update(matched_now(self.adapter, self.pipeline, op))
        try:
            with Bracket(self.hooks, "run", self) as hooks:
                try:
                    self.outcome = self._run(schedule, op, parent)
                except BaseException:
                    self.outcome = self.reports.so_far() + Outcome(None, self._interruptions)
                    raise
                hooks.ended = Ended(bool(self.outcome.failures))
        finally:
            self.hooks.forget_run()
        return self.outcome

    def _run(self, schedule: Schedule, op: Any, parent: Step | None) -> Outcome:
        __tracebackhide__ = True
        started = self.initialize(schedule, op)
        if started.failures:
            return started
        if self._dialects is not None:
            self._dialects.start(op)
        ctx = self.context(op, self.plans.plan(schedule.pipeline, self.adapter.kind_of(op)))
        return self.run_pipeline(ctx) if parent is None else self.run_nested(parent, ctx)

    def crossing(self, compiler: PipelineCompiler) -> Self:
        """Return a run for ops of another IR, inside of a pass."""
        return type(self)(
            compiler,
            self.hooks.crossing(),
            self.reports.relay if self.reports.renders else None,
            options=self.options,
            gates=self.gates,
            strategy=self.strategy,
            outer=self,
        )

    def initialize(self, schedule: Schedule, op: Any) -> Outcome:
        """Call `initialize` of every pass that has one, once per schedule."""
        with self.compiler.lock:
            if schedule.states is None:
                failed = self._uninitialized.get(schedule) or schedule.initialize(self.ir_context)
                if failed is not None:
                    self._uninitialized[schedule] = failed
                    return self.reports.tell((), self.failing.raised(failed[0], op, failed[1]))
        self.states.update(schedule.states or {})
        return UNCHANGED

    def context(
        self,
        op: Any,
        plan: Any,
        parent: PassContext[Any] | None = None,
        number: int = 0,
    ) -> PassContext[Any]:
        """Return the context of the passes of a pipeline on an op."""
        return PassContext(self, op, self.place_of(op), plan, parent, number)

    run_dynamic = run_dynamic
    run_elsewhere = run_elsewhere
    run_one_by_one = run_one_by_one

    # -- The loop -------------------------------------------------------------------------------

    def run_nested(self, parent: Step, ctx: PassContext[Any]) -> Outcome:
        """Run a nested or dynamic pipeline on one op, between its hooks."""
        __tracebackhide__ = True
        if not self.hooks.sees["pipeline"]:
            return self.run_pipeline(ctx)
        with Bracket(self.hooks, "pipeline", ctx.plan.pipeline, ctx.op, parent) as hooks:
            outcome = self.run_pipeline(ctx)
            hooks.ended = Ended(bool(outcome.failures))
        return outcome

    def run_pipeline(self, ctx: PassContext[Any]) -> Outcome:
        """Run all steps on one op, up to the first that fails."""
        __tracebackhide__ = True
        total, run = UNCHANGED, self.do_step
        for step in ctx.plan.steps:
            outcome = run(step, ctx)
            if outcome is not total:
                total += outcome
                if outcome.failures:
                    ctx.good = None  # whatever state that left behind
                    break
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

    def run_observed(self, step: Step, ctx: PassContext[Any]) -> Outcome:
        """Run one step on one op, between its hooks, which are called whatever ends it."""
        __tracebackhide__ = True
        outcome, ctx.failure, ctx.is_news = UNCHANGED, None, False
        hooks = Bracket(self.hooks, "pass", step, ctx.op)
        hooks.refused = partial(self.failing.raised, step, ctx.op)
        try:
            with hooks:
                try:
                    outcome = self.run_step(step, ctx)
                except BaseException:
                    failure = self._interruptions[-1]
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
        return outcome

    def run_step(self, step: Step, ctx: PassContext[Any]) -> Outcome:  # noqa: C901 - the loop
        """Run one step on one op."""
        __tracebackhide__ = True  # in tracebacks of passes, which pytest and IPython show
        op, failure, outcome = ctx.op, None, UNKNOWN
        ctx.step, ctx.preserves_all, ctx.preserved = step, False, _NOTHING
        try:
            try:
                if self.gates and not all(gate(step, op) for gate in self.gates):
                    return _SKIPPED
                if step.pass_ is None:
                    outcome = self.run_siblings(step, ctx)
                else:
                    if self.tracks and ctx.good is None:
                        ctx.good = self.adapter.fingerprint(op)
                    step.pass_.run(op, ctx)
            except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                failure = self._raised(step, ctx, error)
            if len(_forks) != self._forks:
                os._exit(0)  # a child that the pass let go on
            if (place := self.place_of(op)) is not ctx.place and place != ctx.place:
                failure, outcome = failure or self._lost(step, ctx), outcome + CHANGED
            elif ctx.cached is not None:
                failure = self._invalidate(step, ctx, outcome, failure)
            if self._examines and failure is None and step.pass_ is not None:
                if ctx.preserves_all and self._trusts_claims:
                    ctx.claims.append(step)  # believed until the pipeline ends
                    outcome = self._claimed
                    if self._finds_news:
                        self._see(ctx)
                elif ctx.record is None or not ctx.record.outcome.failures:
                    outcome, failure = self.examine(step, ctx)
            if failure is not None or ctx.record is not None:
                outcome += self.tell(ctx, failure)
        except BaseException as error:
            self._interrupt(step, ctx, error)
            raise
        return outcome

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
            if not changed and self._skips and not ctx.claims:
                return UNCHANGED, None
            ctx.is_news = changed if ctx.seen is None else now != ctx.seen
            ctx.good, ctx.seen = now, None
        claims, ctx.claims = ctx.claims, []
        if self._dialects is not None and changed:
            failure = self._dialects.check(step, ctx.op)
        if failure is None and ctx.preserves_all:
            failure = self.failing.broken_claim(step, ctx.op) if changed else None
        elif failure is None and (changed is not False or not self._skips):
            failure = self.verify(step, ctx.op, claims)
        return _PLAIN[changed if self._knows_changes else None], failure

    def _see(self, ctx: PassContext[Any]) -> None:
        """Find out for observers whether a pass has changed what it claims not to change."""
        before = ctx.good if ctx.seen is None else ctx.seen
        ctx.seen = self.renew(ctx.op, before)
        ctx.is_news = ctx.seen is not before

    def check_claims(self, ctx: PassContext[Any]) -> Outcome:
        """Hold passes that state that they preserve everything to it, once for all of them."""
        (*claims, step), ctx.claims, was, ctx.seen = ctx.claims, [], ctx.good, None
        ctx.good = self.renew(ctx.op, was) if self._knows_changes else None
        if self._knows_changes and ctx.good is was:
            return UNCHANGED
        failure = self.verify(step, ctx.op, claims)
        changed = _PLAIN[self._knows_changes]
        return changed if failure is None else changed + self.tell(ctx, failure)

    def verify(self, step: Step, op: Any, claims: Sequence[Step] = ()) -> Failure | None:
        """Verify an op with all that is nested in it, and return the failure if it is invalid.

        Args:
            step: The step after which that is done.
            op: The op.
            claims: Steps before that may be to blame as well.
        """
        error = self.error_in(step, op, recursive=True)
        return None if error is None else self.failing.invalid(step, op, error, claims)

    def error_in(self, step: Step, op: Any, *, recursive: bool) -> InvalidIR | None:
        """Return what the verifier says of an op after a step, if that is to be verified."""
        if not self.verifies:
            return None
        with Bracket(self.hooks, "verification", step, op) as hooks:
            try:
                self.adapter.verify(op, recursive=recursive)
            except InvalidIR as error:
                hooks.ended = Ended(failed=True)
                return error
        return None

    def _invalidate(
        self, step: Step, ctx: PassContext[Any], outcome: Outcome, failure: Failure | None
    ) -> Failure | None:
        """Drop the analyses of the op that the step has not preserved."""
        ran = outcome.preserved
        if ctx.record is not None:
            ran = in_common(ran, ctx.record.outcome.preserved)
        kept = in_common(self.preserved(step), ran) | ctx.preserved
        if step.pass_ is not None:
            kept |= set(step.pass_.produces)
        try:
            ctx.analyses.invalidate(PreservedAnalyses(kept, all_preserved=ctx.preserves_all))
            if self.options.analyses and failure is None and not outcome.failures:
                ctx.analyses.check()
        except Exception as error:  # noqa: BLE001 - an analysis's own code ran: `is_invalidated`
            return failure or self.failing.raised(step, ctx.op, error)
        return failure

    def preserved(self, what: Step | Pipeline) -> frozenset[type]:
        """Return the analyses that all passes of a step or a pipeline preserve."""
        kept = self._kept.get(what)
        if kept is None:
            steps = passes_of(what) if isinstance(what, Pipeline) else passes_in(what)
            passes = (each.pass_ for each in steps)
            kept = self._kept[what] = preserved_by(passes)
        return kept

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
            outcomes.append(self._settle(level, outcomes))
        finally:
            ctx.level = None
        total = sum_of(outcomes)
        if total.changed is not False:
            ctx.good = None
        return checked + total

    def run_sibling(self, task: PassContext[Any]) -> Outcome:
        """Run a nested pipeline on one op, if it is still there, and noticing what others did."""
        __tracebackhide__ = True
        level = _level_of(task)
        if level.gone and not self.lifetime.survives_loss:
            return UNCHANGED
        if not level.is_in_place(task):
            return self._lose_sibling(level, task)
        before = UNCHANGED
        if level.is_tracked and not level.enter(task):
            violation = Violation(task.op, suspects=range(task.number))
            before = self._tell_violation(level, violation)
            if self.verify(level.step, task.op) is not None:
                return before  # passes may fail in any way on what is invalid
        outcome = self.run_nested(level.step, task)
        level.leave(task)
        return before + outcome

    def _settle(self, level: Level, outcomes: Sequence[Outcome]) -> Outcome:
        """Look at an op as a whole after pipelines on the ops inside: what others did, is it valid.

        Args:
            level: The ops inside.
            outcomes: How it went.
        """
        found = [self._tell_violation(level, each) for each in list(level.violations())]
        if found or any(outcome.failures for outcome in outcomes):
            return sum_of(found)
        touched = [
            task
            for task, outcome in zip(level.tasks, outcomes, strict=True)
            if outcome.changed is not False or task.claims
        ]
        step, op, recursive = level.step, level.ctx.op, self.options.verify is VerifyEach.ALWAYS
        if not touched or (error := self.error_in(step, op, recursive=recursive)) is None:
            return UNCHANGED
        suspects = suspects_of(step, touched, [task.op for task in touched])
        return self.tell(level.ctx, self.failing.invalid_enclosing(suspects, op, error))

    def _tell_violation(self, level: Level, violation: Violation) -> Outcome:
        failure = self.failing.violation(level.suspects(violation.suspects), violation)
        return CHANGED + self.tell(level.ctx, failure)

    def _lose_sibling(self, level: Level, task: PassContext[Any]) -> Outcome:
        """Return the outcome of an op that was erased or moved before its turn."""
        level.gone.add(task.number)
        suspects = level.suspects(range(task.number))
        rest = "" if self.lifetime.survives_loss else "; the ops behind it are not processed"
        name = task.plan.op_name
        failure = self.failing.lost_siblings(suspects, level.ctx.op, name, rest)
        return CHANGED + self.tell(level.ctx, failure)

    # -- Workers -------------------------------------------------------------------------------

    def branch(self, tasks: Sequence[PassContext[Any]]) -> tuple[Self, Any]:
        """Return the run as a worker does it for some tasks, with parts of its observers."""
        other, (hooks, parts) = copy(self), self.hooks.branch()
        other.hooks, other.reports = hooks, self.reports.branch()
        other._forks = len(_forks)
        other.states, other.strategy, hooks.run = dict(self.states), Sequential(), other
        other.do_step = other.run_observed if hooks.sees_steps else other.run_step
        for task in tasks:
            task.run = other
            if task.cached is not None:  # enclosing passes have asked for analyses of this op
                task.cached.serve(other)
        return other, parts

    def start_share(self, schedule: Schedule, step: NestedStep, ops: Sequence[Any]) -> Level:
        """Begin a share of another run's work on siblings, and return these as a level.

        Args:
            schedule: The nested step alone.
            step: That step.
            ops: Copies of some siblings, inside of a copy of their enclosing op.

        Raises:
            EncodingError: It is to be done where it comes from.
        """
        self.op, self.pipeline = self.adapter.parent(ops[0]), schedule.pipeline
        self.hooks.run, self.reports.is_held = self, True
        if self.initialize(schedule, self.op).failures:
            raise EncodingError  # it is to fail where it comes from
        ctx = self.context(self.op, None)
        ctx.level = level = Level(self, step, ctx)
        wanted = set(map(self.key_of, ops))
        level.tasks = [task for task in level.tasks if self.key_of(task.op) in wanted]
        return level

    def merge(self, parts: Any, outcomes: Sequence[Outcome]) -> None:
        """Take over what a worker has observed, and report what it has to tell."""
        with self.reports.catching_up(outcomes):
            self.hooks.merge(parts)

    def fail_dead(self, task: PassContext[Any], how: str, in_pass: int = 0) -> Outcome:
        """Return the outcome of a task whose worker has died, in a pass if that is known."""
        suspects = _level_of(task).suspects([task.number])
        if found := [step for step in suspects.passes if id(step) == in_pass]:
            suspects = suspects._replace(passes=found)
        return self.reports.tell((), self.failing.died(suspects, task.op, how))

    def _accept_outside(self, ctx: PassContext[Any]) -> None:
        """Take what is around an op as it is now: the pass that changed it has failed already."""
        inner, outer = ctx, ctx.parent
        while outer is not None:
            if outer.level is not None:
                list(outer.level.violations(inner.op))
            inner, outer = outer, outer.parent

    # -- Failures ------------------------------------------------------------------------------

    def tell(self, ctx: PassContext[Any], failure: Failure | None = None) -> Outcome:
        """Report what a step has to tell, and return it as an outcome."""
        record, ctx.record = ctx.record, None
        ctx.failure = failure or ctx.failure
        if record is None:
            return self.reports.tell((), failure)
        told = self.reports.tell(record.diagnostics, failure, record.counts)
        return record.outcome + told

    def _raised(self, step: Step, ctx: PassContext[Any], error: Exception) -> Failure | None:
        if not self.lifetime.survives_loss and self.place_of(ctx.op) != ctx.place:
            return None  # it raised because its op is gone, which is the failure
        return self.failing.raised(step, ctx.op, error)

    def _interrupt(self, step: Step, ctx: PassContext[Any], error: BaseException) -> None:
        """Take note of where the run was interrupted: in the innermost step."""
        if len(_forks) != self._forks:
            os._exit(0)
        if not self._interruptions:
            lost = self.place_of(ctx.op) != ctx.place
            failure = (
                self._lost(step, ctx) if lost else self.failing.interrupted(step, ctx.op, error)
            )
            failure.diagnostic.detach(render=False)
            error.add_note(str(failure))
            self._interruptions.append(failure)
            self.tell(ctx)

    def _lost(self, step: Step, ctx: PassContext[Any]) -> Failure:
        """Return the failure of a step whose op is gone: the enclosing op stands for it."""
        enclosing = ctx.parent
        while enclosing is not None and self.place_of(enclosing.op) != enclosing.place:
            enclosing = enclosing.parent
        return self.failing.lost(step, ctx.plan.op_name, enclosing and enclosing.op)


def _renewing(adapter: IRAdapter) -> Callable[[Any, Any], Any] | None:
    """Return the adapter's renewing of fingerprints, unless a subclass has others of its own."""
    for each in type(adapter).__mro__:
        if "renew_fingerprint" in vars(each):
            return cast("RenewsFingerprints", adapter).renew_fingerprint
        if "fingerprint" in vars(each):
            return None
    return None


def _level_of(task: PassContext[Any]) -> Level:
    """Return the level that an op is in on which a nested pipeline runs."""
    assert task.parent is not None  # noqa: S101 - such ops have one
    return task.parent.level
