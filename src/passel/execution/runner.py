"""The runner: pipelines on ops, nested ones, and those that passes run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from passel.errors import AnchorError, Problem
from passel.execution.analyses import AnalysisRunner
from passel.execution.context import OpContext
from passel.execution.failures import Suspects
from passel.execution.outcome import UNCHANGED, Outcome, merge
from passel.execution.plans import Plan, Planner
from passel.execution.step import StepRunner
from passel.execution.strategies.child_run import ChildRun
from passel.execution.verification import verify_enclosing
from passel.hooks import Bracket, Ended
from passel.ir import ANY, outwards
from passel.passes import Pass, PipelineRun
from passel.passes.preservation import in_common
from passel.schedule import passes_in, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.execution.services import RunServices
    from passel.execution.strategies import SiblingStrategy
    from passel.passes.context import PipelineTree
    from passel.passes.op_pass_manager import OpPassManager
    from passel.schedule import NestedStep, PassStep, PipelineCompiler, Schedule, Step


class PipelineRunner:
    """Runs pipelines of one run on ops.

    Args:
        services: What the run's parts share.
        strategy: How siblings share the work.
        cross: Runs a schedule of another IR inside of a pass.

    Attributes:
        services: What the run's parts share.
        planner: Decides which pipeline runs on which op.
        analyzer: Computes analyses.
    """

    def __init__(
        self,
        services: RunServices,
        strategy: SiblingStrategy,
        cross: Callable[[RunServices, OpContext, Schedule, Any, PipelineCompiler], Outcome],
    ) -> None:
        self.services: RunServices = services
        self._adapter = services.adapter
        self._hooks = services.hooks
        self._strategy = strategy
        self._cross = cross
        self.analyzer: AnalysisRunner = AnalysisRunner(
            services.adapter, services.hooks, verify_analyses=services.options.analyses
        )
        self.planner: Planner = Planner(services)
        self._steps = StepRunner(services, strategy)

    def branch(self, services: RunServices) -> PipelineRunner:
        """Return one for another thread, with what it shares with others there."""
        return PipelineRunner(services, self._strategy, self._cross)

    def run_root(self, schedule: Schedule, op: Any, parent: Step | None) -> Outcome:
        """Run the pipeline of a schedule, and verify what is left to verify.

        Args:
            schedule: What to run.
            op: The op at the top.
            parent: The step of another run that this one is a part of.
        """
        started = self.initialize(schedule, op)
        if started.failures:
            return started
        if self.services.dialects is not None:
            self.services.dialects.start(op)
        plan = self.planner.plan(schedule.pipeline, self._adapter.kind_of(op))
        ctx = self._context(op, plan)
        outcome = (
            self._steps.run_pipeline(ctx) if parent is None else self.run_between_hooks(parent, ctx)
        )
        if outcome.failures or not ctx.op_state.unsettled or not self.services.verifies:
            return outcome
        return merge([outcome, self._settle(op, ctx)])

    def child_run(self, step: NestedStep, op: Any) -> ChildRun:
        """Return the run of nested pipelines on the ops inside an op, as all that there is to do.

        Args:
            step: The nested step.
            op: The op.
        """
        ctx: OpContext | None = None
        for each in reversed(list(outwards(self._adapter, op))):
            place = self.services.policies.lifetime.place_of(each)
            ctx = OpContext(self, each, place, None, ctx)
            ctx.step = step
        assert ctx is not None  # noqa: S101 - the op's own
        return ChildRun(step, ctx)

    def initialize(self, schedule: Schedule, op: Any) -> Outcome:
        """Call `initialize` of every pass that has one, once per schedule."""
        with self.services.compiler.lock:
            if schedule.states is None:
                states: dict[PassStep, Any] = {}
                for step in passes_of(schedule.pipeline):
                    if type(step.pass_).initialize is Pass.initialize:
                        continue
                    try:
                        states[step] = step.pass_.initialize(self.services.compiler.context)
                    except BaseException as error:  # noqa: BLE001 - interrupts are outcomes as well
                        return self._not_initialized(step, op, error)
                schedule.states = states
        self.services.states.update(schedule.states)
        return UNCHANGED

    def run_between_hooks(self, parent: Step, ctx: OpContext) -> Outcome:
        """Run a nested or dynamic pipeline on one op, between its hooks."""
        hooks = self._hooks
        if not hooks.sees["pipeline"]:
            return self._steps.run_pipeline(ctx)
        with Bracket(hooks, "pipeline", ctx.plan.pipeline, ctx.op, parent) as bracket:
            outcome = self._steps.run_pipeline(ctx)
            bracket.ended = Ended(bool(outcome.failures))
        return outcome

    def run_dynamic(self, ctx: OpContext, pipeline: PipelineTree, op: Any) -> PipelineRun:
        """Run a pipeline for a pass; see `PassContext.run_pipeline`.

        Source: the pipeline callback in `OpToOpPassAdaptor::run`, MLIR 22.
        """
        kind = self._adapter.kind_of(op)
        if pipeline.anchor not in (ANY, kind.name):
            message = f"can't run '{pipeline.anchor}' pass manager on '{kind.name}' op"
            raise AnchorError(Problem(message))
        if op == ctx.op:  # not `is`: bindings may have several objects for one op
            analyses = ctx.analyses
        else:
            try:
                analyses = ctx.analyses.nest(op)
            except ValueError:
                self.services.reports.flush(ctx)
                return self._take(ctx, self._refuse(op))
            if self._hooks.sees_steps:
                self._number(op, ctx.op)
        schedule = self.services.compiler.schedule(cast("OpPassManager", pipeline), ctx.path)
        self.services.reports.flush(ctx)  # what the pass has reported comes before what runs now
        step = ctx.step
        outcome = self.initialize(schedule, op)
        if not outcome.failures:
            plan = self.planner.plan(schedule.pipeline, kind)
            inner = self._context(op, plan, analyses, ctx if op == ctx.op else None)
            outcome = self.run_between_hooks(step, inner)
        record, kept = ctx.pending_reports(), self._steps.kept.by_pipeline(schedule.pipeline)
        record.kept = in_common(record.kept, in_common(kept, outcome.kept))
        return self._take(ctx, outcome)

    def run_elsewhere(
        self, ctx: OpContext, pipeline: PipelineTree, op: Any, compiler: PipelineCompiler
    ) -> PipelineRun:
        """Run a pipeline for a pass on an op of another IR; see `PassContext.run_elsewhere`."""
        compiler.guard = self.services.compiler.guard
        schedule = compiler.schedule(cast("OpPassManager", pipeline), ctx.path)
        self.services.reports.flush(ctx)
        return self._take(ctx, self._cross(self.services, ctx, schedule, op, compiler))

    def _number(self, op: Any, outer: Any) -> None:
        """Number an op inside of another one, and those between, among their siblings."""
        identity_of = self.services.identity_of
        while (place := identity_of(op)) != identity_of(outer):
            parent = self._adapter.parent(op)
            siblings = map(identity_of, self._adapter.children(parent))
            self.services.ordinals[place] = [*siblings].index(place)
            op = parent

    def _context(
        self, op: Any, plan: Plan, analyses: Any = None, runs_for: OpContext | None = None
    ) -> OpContext:
        place = self.services.policies.lifetime.place_of(op)
        return OpContext(self, op, place, plan, analyses=analyses, runs_for=runs_for)

    def _not_initialized(self, step: PassStep, op: Any, error: BaseException) -> Outcome:
        failures = self.services.failures
        if isinstance(error, Exception):
            return self.services.reports.fail(failures.raised(step, op, error))
        return Outcome(None, (failures.interrupted(step, op, error),), interrupt=error)

    def _settle(self, op: Any, ctx: OpContext) -> Outcome:
        """Verify an op as a whole, of which only parts were verified since passes changed it."""
        steps = [step for each in ctx.op_state.unsettled for step in passes_in(each)]
        suspects = Suspects(ctx.op_state.unsettled[-1], steps, ())
        failure = verify_enclosing(self.services, suspects, op, recursive=True)
        return UNCHANGED if failure is None else self.services.reports.fail(failure)

    def _refuse(self, op: Any) -> Outcome:
        message = (
            "Trying to schedule a dynamic pipeline on an operation that isn't nested under the "
            "current operation the pass is processing"
        )
        failed = self.services.reports.fail(self.services.failures.unschedulable(None, op, message))
        return failed._replace(changed=False)

    def _take(self, ctx: OpContext, outcome: Outcome) -> PipelineRun:
        """Hand the outcome of a dynamic pipeline to the pass: whether it fails is up to that.

        Raises:
            BaseException: It was interrupted.
        """
        record = ctx.pending_reports()
        record.reported += outcome.diagnostics
        for key, amount in outcome.counts.items():
            record.count(key, amount)
        if outcome.interrupt is not None:
            raise outcome.interrupt
        return PipelineRun(outcome.failures, outcome.changed)
