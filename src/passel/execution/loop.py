"""The run loop: the only place where passes are executed.

`_run_pipeline` reads top to bottom in the order in which things happen to one op. Whatever
observes a run is an instrumentation; verification is the loop's own step.

Source: `OpToOpPassAdaptor::run` and `runPipeline`, MLIR 22.
"""
# pyright: reportPrivateUsage=false
# ruff: noqa: SLF001
# The loop writes its context's fields: a method call per pass and op would cost as much as
# all of the rest.

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from passel.analysis import PreservedAnalyses
from passel.errors import AnchorError, PassFailure, Problem
from passel.execution.analyses import AnalysisRunner
from passel.execution.failures import FailureReporter, FusedFailure
from passel.execution.verification import Verifier
from passel.ir import ANY, FusesPasses, LosesOps, ability_of
from passel.passes import Pass, PassContext, PipelineRun
from passel.schedule import FusedStep, PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.instruments.hooks import Instrumentor
    from passel.ir import OpKind
    from passel.passes.context import PipelineTree
    from passel.schedule import NestedStep, PassTree, Pipeline, PipelineCompiler, Schedule, Step


PassGate: TypeAlias = "Callable[[Step, Any], bool]"
"""Tells whether a step is to run on an op."""


class VerifyEach(Enum):
    """When the IR is verified during a run.

    The input itself is never verified by a run; that is its producer's task.
    """

    OFF = "false"
    CHANGED = "true"
    """After each pass, unless it preserved everything or the op's fingerprint is unchanged."""
    ALWAYS = "always"
    """After each pass that did not preserve everything, whether or not it changed the op."""


_COUNTED = 100
"""How many siblings are worth counting after each pipeline on one of them."""


class _Plan(NamedTuple):
    """A pipeline as far as one kind of op can run it."""

    pipeline: Pipeline
    steps: tuple[Step, ...]
    obstacle: str
    op_name: str


class Execution(AnalysisRunner):
    """One run of one schedule, and of the pipelines that its passes run.

    Attributes:
        outer: The run whose pass this run is a part of, on ops of another IR; else None.
        failures: Every failure so far, in program order.
        counts: Statistics by the pass's path and the statistic's name.
        states: What passes' `initialize` returned.
    """

    def __init__(
        self,
        scheduler: PipelineCompiler,
        instrumentor: Instrumentor,
        verify: VerifyEach,
        emit: Callable[[Diagnostic], None],
        *,
        verify_analyses: bool = False,
        gates: Sequence[PassGate] = (),
    ) -> None:
        super().__init__(scheduler.adapter, instrumentor, verify_analyses=verify_analyses)
        self.scheduler = scheduler
        self.ir_context: Any = scheduler.context
        self.verify = verify
        self.verifies: bool = verify is not VerifyEach.OFF
        fuses = ability_of(self.adapter, FusesPasses) is not None
        self._tracks = verify is VerifyEach.CHANGED and not fuses
        self._loses = ability_of(self.adapter, LosesOps)
        self._fuses = fuses and not (instrumentor.watches_passes or gates or verify_analyses)
        self.gates = gates
        self._emit = emit
        self.outer: Execution | None = None
        self._around: Step | None = None
        self.notes: list[str] = []
        self.report: FailureReporter = FailureReporter(self.adapter)
        self.verifier: Verifier = Verifier(self.adapter, instrumentor, self.report)
        self.failures: list[Failure] = []
        self.counts: dict[tuple[str, str], int] = {}
        self.collects_statistics: bool = instrumentor.collects_statistics
        self.states: dict[PassStep, Any] = {}
        self._plans: dict[NestedStep, dict[Hashable, _Plan | None]] = {}

    def run(self, schedule: Schedule, op: Any) -> bool | None:
        """Run the top-level pipeline; see `failures` for how it went.

        Returns:
            Whether the IR changed; None if nobody had to know.
        """
        self.op = op
        self.pipeline: Pipeline = schedule.pipeline
        for hook in self.hooks.before_run:
            hook(self)
        failed = True  # also if an interrupt ends it
        try:
            if not self._initialize(schedule, op):
                return False
            plan = self._plan(self.pipeline, self.adapter.kind_of(op))
            ctx: PassContext[Any] = PassContext(self, op)
            if self._around is None:
                changed = self._run_pipeline(plan, op, ctx)
            else:
                changed = self._run_nested(plan, op, self._around, ctx)
            failed = bool(self.failures)
            return changed
        finally:
            for hook in self.hooks.after_run:
                hook(self, failed=failed)

    def note(self, text: str) -> None:
        """Add a note to the exception that the run will raise."""
        self.notes.append(text)

    def _initialize(self, schedule: Schedule, op: Any) -> bool:
        """Call `initialize` of every pass that has one, once per schedule."""
        if schedule.states is None:
            states: dict[PassStep, Any] = {}
            for step in passes_of(schedule.pipeline):
                if type(step.pass_).initialize is Pass.initialize:
                    continue
                try:
                    states[step] = step.pass_.initialize(self.ir_context)
                except PassFailure as error:
                    self._fail(self.report.gave_up(step, op, error))
                    return False
                except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                    self._fail(self.report.crashed(step, op, error))
                    return False
            schedule.states = states
        self.states.update(schedule.states)
        return True

    def _run_pipeline(self, plan: _Plan, op: Any, ctx: PassContext[Any]) -> bool | None:  # noqa: C901, PLR0915 - one order, one function
        """Run a pipeline's passes on one op, in order, up to the first that fails.

        Returns:
            Whether the op changed; None if that is not known.
        """
        hooks, adapter, report = self.hooks, self.adapter, self.report
        track, loses = self._tracks, self._loses
        valid: object = None  # the fingerprint of the op when it was last known to be valid
        seen: object = None  # its fingerprint before the pass, for those who want to know
        changed: bool | None = False

        for step in plan.steps:
            ctx._step, ctx._preserved, ctx._preserves_all = step, None, False
            is_pass = isinstance(step, PassStep)
            if is_pass:
                if track and valid is None:
                    valid = seen = adapter.fingerprint(op)
                elif hooks.after_change and seen is None:
                    seen = adapter.fingerprint(op)

            for hook in hooks.before_pass:
                hook(step, op)

            failure: Failure | None = None
            failed, touched, now = False, None, None
            try:
                try:
                    if self.gates and not all(gate(step, op) for gate in self.gates):
                        ctx._preserves_all, touched = True, False
                        for hook in hooks.pass_skipped:
                            hook(step, op)
                    elif is_pass:
                        step.pass_.run(op, ctx)
                    else:
                        failed, touched = self._run_children(step, op, ctx)
                except PassFailure as error:
                    failure = report.gave_up(step, op, error)
                except FusedFailure as error:
                    failed = True
                    self._fail_inside(error)
                except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                    failure = report.crashed(step, op, error)
                if loses is not None and is_pass and failure is None:
                    failure = self._lost(step, plan, ctx)

                if ctx._analyses is not None:
                    failure = self._invalidate(step, op, ctx, failure)

                if self.verifies and failure is None and not failed:
                    if isinstance(step, FusedStep):
                        valid = None
                    elif is_pass:
                        touched = False
                        # What a pass that "preserved everything" broke is found after the next.
                        if not ctx._preserves_all:
                            now = adapter.fingerprint(op) if track else None
                            touched = None if now is None else now != valid
                            parent = ctx._parent
                            if self._fuses and parent is not None and _is_last(step, plan):
                                self.verifier.put_off(step, op, parent.op)
                            elif touched is not False:
                                failure = self.verifier.verify(step, op, recursive=True)
                                valid = now
                    elif touched is not False:
                        # Nested passes verified what they changed; this op's own rules are left.
                        failure = self.verifier.verify(step, op, recursive=False)
                        valid = None
                if hooks.after_change and failure is None and not failed:
                    seen = self._report_change(step, op, seen, now)
            except BaseException as error:
                failure = self._lost(step, plan, ctx)
                if failure is None or not isinstance(error, Exception):
                    failure = failure or report.interrupted(step, op, error)
                    error.add_note(str(failure))
                    for hook in hooks.after_pass_failed:
                        hook(step, op, failure)
                    raise
            if touched is not False and not changed:
                changed = touched

            if failure is None and not failed:
                for hook in hooks.after_pass:
                    hook(step, op)
                continue
            try:
                if failure is not None:
                    self._fail(failure)
            finally:  # what is told of a failure may raise
                for hook in hooks.after_pass_failed:
                    hook(step, op, failure)
            self._end(ctx)
            return None

        self._end(ctx)
        if plan.obstacle:
            admitted, _ = plan.pipeline.admit(adapter.kind_of(op))
            next_step = plan.pipeline.steps[len(admitted)]
            self._fail(report.unschedulable(next_step, op, plan.obstacle))
            return None
        return changed

    def _lost(self, step: Step, plan: _Plan, ctx: PassContext[Any]) -> Failure | None:
        """Return the failure of a pass whose op is gone."""
        loses, outer = self._loses, ctx._parent
        if loses is None or not loses.is_lost(ctx.op, nested=outer is not None):
            return None
        while outer is not None and loses.is_lost(outer.op, nested=outer._parent is not None):
            outer = outer._parent
        return self.report.lost(step, plan.op_name, outer and outer.op)

    def _report_change(self, step: Step, op: Any, before: object, now: object) -> object:
        """Call the hooks for a pass that changed its op.

        Args:
            step: What has run.
            op: What it has run on.
            before: The op's fingerprint before.
            now: Its fingerprint now, if the run knows it.

        Returns:
            The op's fingerprint now; None if that is not known.
        """
        if not isinstance(step, PassStep):
            return None
        if now is None:
            now = self.adapter.fingerprint(op)
        if now != before:
            for hook in self.hooks.after_change:
                hook(step, op)
        return now

    def _run_children(
        self, step: NestedStep, op: Any, ctx: PassContext[Any]
    ) -> tuple[bool, bool | None]:
        """Run nested pipelines on the ops immediately inside `op`, in program order.

        A failure on one op does not keep its siblings from being processed.

        Returns:
            Whether any of them failed, and whether any of them changed.
        """
        plans = self._plans.setdefault(step, {})
        key_of = self.adapter.key_of
        failures = len(self.failures)
        changed: bool | None = False
        children = self.adapter.children(op)
        left = len(children)
        counts = self._loses if left <= _COUNTED else None
        for child in children:
            key = key_of(child)
            try:
                plan = plans[key]
            except KeyError:
                plan = plans[key] = self._plan_for(step, child)
            if plan is None:
                continue
            touched = self._run_nested(plan, child, step, PassContext(self, child, ctx))
            if touched is not False and not changed:
                changed = touched
            if counts is not None:
                left -= counts.is_lost(child, nested=True)
                if counts.count_children(op) < left:
                    self._fail(self.report.lost_siblings(step, plan.pipeline, op))
                    break
        if self.verifier.is_behind:
            self._catch_up(op if len(self.failures) == failures else None)
        return len(self.failures) > failures, changed

    def _run_nested(self, plan: _Plan, op: Any, parent: Step, ctx: PassContext[Any]) -> bool | None:
        """Run a nested or dynamic pipeline between its hooks."""
        hooks = self.hooks
        for hook in hooks.before_pipeline:
            hook(plan.pipeline, op, parent)
        failures = len(self.failures)
        failed = True  # also if an interrupt ends it
        try:
            touched = self._run_pipeline(plan, op, ctx)
            failed = len(self.failures) > failures
        finally:
            for hook in hooks.after_pipeline:
                hook(plan.pipeline, op, parent, failed=failed)
        return touched

    def _plan_for(self, step: NestedStep, op: Any) -> _Plan | None:
        """Decide once per kind of op which of the nested pipelines runs on it."""
        kind = self.adapter.kind_of(op)
        pipeline = step.select(kind)
        return None if pipeline is None else self._plan(pipeline, kind)

    def _plan(self, pipeline: Pipeline, kind: OpKind) -> _Plan:
        """Decide how far ops of a kind can run a pipeline, and what of it runs as one."""
        steps, obstacle = pipeline.admit(kind)
        if self._fuses:
            steps = cast("FusesPasses", self.adapter).fuse(steps, verify=self.verifies)
        return _Plan(pipeline, steps, obstacle, kind.name)

    def run_dynamic(self, ctx: PassContext[Any], pipeline: PipelineTree, op: Any) -> PipelineRun:
        """Run a pipeline for a pass; see `PassContext.run_pipeline`.

        Source: the pipeline callback in `OpToOpPassAdaptor::run`, MLIR 22.
        """
        adapter = self.adapter
        kind = adapter.kind_of(op)
        if pipeline.anchor not in (ANY, kind.name):
            message = f"can't run '{pipeline.anchor}' pass manager on '{kind.name}' op"
            raise AnchorError(Problem(message))
        if op == ctx.op:  # not `is`: bindings may have several objects for one op
            inner = PassContext(self, op, analyses=ctx.analyses)
        else:
            try:
                inner = PassContext(self, op, analyses=ctx.analyses.nest(op))
            except ValueError:
                return self._refuse_dynamic(op)
        schedule = self.scheduler.schedule(cast("PassTree", pipeline), ctx.path)
        failures = len(self.failures)
        step = cast("Step", ctx._step)
        touched: bool | None = False
        if self._initialize(schedule, op):
            plan = self._plan(schedule.pipeline, kind)
            touched = self._run_nested(plan, op, step, inner)
        # Reported already; whether the run fails is for the pass to decide.
        failed = tuple(self.failures[failures:])
        del self.failures[failures:]
        return PipelineRun(failed, touched)

    def run_elsewhere(
        self, ctx: PassContext[Any], pipeline: PipelineTree, op: Any, scheduler: PipelineCompiler
    ) -> PipelineRun:
        """Run a pipeline for a pass on an op of another IR; see `PassContext.run_elsewhere`."""
        scheduler.guard = self.scheduler.guard
        inner = Execution(
            scheduler,
            self.hooks.crossing(),
            self.verify,
            self.emit,
            verify_analyses=self.verify_analyses,
        )
        inner.outer, inner._around = self, cast("Step", ctx._step)
        inner.counts, inner.collects_statistics = self.counts, self.collects_statistics
        changed = inner.run(scheduler.schedule(cast("PassTree", pipeline), ctx.path), op)
        self.notes += inner.notes
        return PipelineRun(tuple(inner.failures), changed)

    def _refuse_dynamic(self, op: Any) -> PipelineRun:
        message = (
            "Trying to schedule a dynamic pipeline on an operation that isn't nested under the "
            "current operation the pass is processing"
        )
        failure = self.report.misplaced(op, message)
        self.emit(failure.diagnostic)
        return PipelineRun((failure,), changed=False)

    def _invalidate(
        self, step: Step, op: Any, ctx: PassContext[Any], failure: Failure | None
    ) -> Failure | None:
        """Drop the analyses of the op that a step has not preserved.

        Returns:
            The failure of the step, if there is one, or what went wrong here.
        """
        analyses = ctx.analyses
        if not isinstance(step, PassStep):
            analyses.clear()  # nested passes cannot know what was computed out here
            return failure
        kept = (*step.pass_.preserves, *(ctx._preserved or ()))
        try:
            analyses.invalidate(PreservedAnalyses(kept, all_preserved=ctx._preserves_all))
            if self.verify_analyses and failure is None:
                analyses.check()
        except PassFailure as error:
            return failure or self.report.gave_up(step, op, error)
        except Exception as error:  # noqa: BLE001 - an analysis's own code ran: `is_invalidated`
            return failure or self.report.crashed(step, op, error)
        return failure

    @staticmethod
    def _end(ctx: PassContext[Any]) -> None:
        """Drop what is cached for an op when a pipeline on it ends."""
        if ctx._analyses is not None:
            ctx._analyses.clear()

    def emit(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic, after what has been put off and goes wrong."""
        if self.verifier.is_behind:
            self._catch_up()
        self._emit(diagnostic)

    def _catch_up(self, around: Any = None) -> None:
        for failure in self.verifier.catch_up(around):
            self._fail(failure)

    def _fail(self, failure: Failure) -> None:
        if self.verifier.is_behind:
            self._catch_up()
        self.failures.append(failure)
        self.emit(failure.diagnostic)

    def _fail_inside(self, error: FusedFailure) -> None:
        for inner in error.failures:
            for diagnostic in inner.said:
                self.emit(diagnostic)
            self._fail(self.report.inside(inner))
        for diagnostic in error.said:
            self.emit(diagnostic)


def _is_last(step: Step, plan: _Plan) -> bool:
    """Tell whether a step ends its pipeline, so that the op around is verified next."""
    return step is plan.steps[-1] and not plan.obstacle
