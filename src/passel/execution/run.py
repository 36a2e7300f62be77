"""The run of a schedule on an op, including the dynamic pipelines that passes run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.analysis import PreservedAnalyses, analysis_name, in_common
from passel.errors import PassFailure
from passel.execution.failures import NOT_INSIDE, Suspects, sole, titles_of
from passel.execution.loop import Loop
from passel.hooks import Ended
from passel.hooks.instrumentor import Bracket
from passel.ir import outwards
from passel.passes import PassContext, PipelineRun
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.outcome import UNCHANGED, Outcome, sum_of
from passel.schedule import passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.schedule import PassStep, Pipeline, Step
    from passel.schedule.compiler import PipelineCompiler


class Run(Loop):
    """The run of a schedule on an op, including the dynamic pipelines that passes run."""

    # Declared again: type checkers infer attributes that a subclass assigns anew.
    op: Any
    pipeline: Pipeline
    outcome: Outcome
    running: PassContext[Any] | None

    def run(self, pipeline: Pipeline, op: Any, parent: Step | None = None) -> Outcome:
        """Run a compiled pipeline on an op.

        Args:
            pipeline: The pipeline to run.
            op: The op to run the pipeline on.
            parent: The step of the outer run whose pass started this run; None if there is no outer
                run.

        Raises:
            BaseException: If the run is interrupted. The run's attribute `outcome` then contains
                the results up to the interrupt.
        """
        __tracebackhide__ = True  # in tracebacks of interrupts
        self.op, self.pipeline, self.hooks.run = op, pipeline, self
        try:
            with Bracket(self.hooks, "run", self) as hooks:
                try:
                    with self.adapter.reporting(self.ir_context, self._hear):
                        self.outcome = self._run_compiled(pipeline, op, parent)
                except BaseException:
                    self.outcome = sum_of([*self.reports.told, self.interrupted])
                    raise
                hooks.ended = Ended(bool(self.outcome.failures))
        finally:
            self.hooks.forget_run()
        return self.outcome

    def _run_compiled(
        self, pipeline: Pipeline, op: Any, parent: Step | None, analyses: Any = None
    ) -> Outcome:
        """Initialize the passes of a pipeline, and run the pipeline on an op.

        Args:
            pipeline: The compiled pipeline.
            op: The op to run the pipeline on.
            parent: The step that runs the pipeline; None if it is the pipeline of the run itself.
            analyses: The analysis manager of the op; None if the op has none yet.
        """
        __tracebackhide__ = True
        outcome = self.ensure_initialized(pipeline, op)
        if outcome.failures:
            return outcome
        ctx = PassContext(self, op, self.plan(pipeline, op))
        ctx.cached = analyses
        return self.run_nested(parent, ctx)

    def ensure_initialized(self, pipeline: Pipeline, op: Any) -> Outcome:
        """Initialize the passes of a pipeline, unless they have already been initialized.

        If the initialization succeeds, other runs of the pipeline do not repeat it.
        """
        with self.compiler.lock:
            failed = self._uninitialized.get(pipeline)
            for step in () if pipeline.is_initialized or failed else passes_of(pipeline):
                try:
                    step.state = step.pass_.initialize(self.ir_context)
                except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                    failed = self._uninitialized[pipeline] = step, error
                    break
            if failed is None:
                pipeline.is_initialized = True
                return UNCHANGED
        failure = self.failing.raised(failed[0], op, failed[1])
        failure.diagnostic.print_op = None  # no pass has seen the op
        return self.reports.tell(failure)

    def _hear(self, diagnostic: Diagnostic) -> bool:
        """Emit a library diagnostic from the running pass, and return whether a pass is running."""
        if self.running is None:
            return False
        self.running.emit(diagnostic)
        return True

    # -- Pipelines that passes run ----------------------------------------------------------------

    def run_dynamic(self, ctx: PassContext[Any], pipeline: OpPassManager, op: Any) -> PipelineRun:
        """Run a dynamic pipeline for a pass; see `PassContext.run_pipeline`.

        Source: the pipeline callback in `OpToOpPassAdaptor::run`, MLIR 22.
        """
        if not isinstance(pipeline, OpPassManager):  # pyright: ignore[reportUnnecessaryIsInstance] - authors err
            msg = f"run_pipeline takes a manager, like OpPassManager().add('cse'), not {pipeline!r}"
            raise TypeError(msg)
        self.compiler.check_fits(pipeline, self.adapter.kind_of(op))
        self._flush(ctx)  # diagnostics of the pass come before those of the pipeline
        try:
            # Not `is`: bindings may have several objects for one op.
            analyses = ctx.analyses if op == ctx.op else ctx.analyses.nest(op)
        except ValueError:
            failure = self.failing.of("unschedulable", sole(None, op), NOT_INSIDE)
            return _result_of(ctx, self.reports.tell(failure)._replace(changed=False))
        if self.hooks.sees_steps:
            for each in outwards(self.adapter, op):
                if each == ctx.op:
                    break
                self.number(self.adapter.children(self.adapter.parent(each)))
        compiled = self.compiler.schedule(pipeline, ctx.path)
        outcome = self._run_compiled(compiled, op, ctx.step, analyses)
        self.running = ctx
        kept = in_common(self.declared(compiled), outcome.preserved)
        analyses.invalidate(PreservedAnalyses(kept))
        if op != ctx.op and outcome.changed is not False:
            analyses.invalidate_between(ctx.op, PreservedAnalyses(kept))
        return _result_of(ctx, outcome._replace(preserved=kept))

    def run_elsewhere(
        self, ctx: PassContext[Any], pipeline: OpPassManager, op: Any, compiler: PipelineCompiler
    ) -> PipelineRun:
        """Run a pipeline for a pass that has converted its op to another IR.

        The pipeline is part of this run, like a dynamic pipeline. Instrumentations observe the
        pipeline only if they set `PassInstrumentation.crosses`.

        Args:
            ctx: The `PassContext` of the pass.
            pipeline: The pipeline to run.
            op: The converted op.
            compiler: The compiler for the other IR. All calls during a run must use the same
                compiler.
        """
        compiler.guard = self.compiler.guard
        self._flush(ctx)
        inner = Run(
            compiler,
            self.hooks.crossing(),
            self.reports.emit and self.reports.report,
            verify=self.verify_each,
            remarks=self.remarks,
            gates=self.gates,
            strategy=self.strategy,
            outer=self,
        )
        inner.concluding = self.concluding
        return _result_of(ctx, inner.run(compiler.schedule(pipeline, ctx.path), op, ctx.step))

    def blame(self, ctx: PassContext[Any], steps: Sequence[PassStep], op: Any, error: Any) -> None:
        """Report that one of several passes, which an adapter ran in one call, has failed.

        Args:
            ctx: The `PassContext` of the step that replaced the passes.
            steps: The steps of the passes that may have failed.
            op: The op that the passes ran on.
            error: The verifier's `InvalidIR` error; None if a pass itself failed.
        """
        self._flush(ctx)
        suspects = Suspects(ctx.step, op, steps)
        if error is not None:
            failure = self.failing.invalid(suspects, error)
        else:
            message = f"{'one of the ' if len(steps) > 1 else ''}{titles_of(steps)} failed"
            failure = self.failing.of("failed", suspects, message, cause=PassFailure())
        ctx.recorded().outcome += self.reports.tell(failure)

    def _flush(self, ctx: PassContext[Any]) -> None:
        """Report the diagnostics that the pass of `ctx` has emitted so far."""
        if ctx.record is not None:
            ctx.recorded().outcome = self.tell(ctx)

    # -- Analyses ---------------------------------------------------------------------------------

    def compute(self, kind: Any, op: Any, construct: Callable[[], Any]) -> Any:
        """Compute an analysis, and call the hooks before and after the computation."""
        with Bracket(self.hooks, "analysis", analysis_name(kind), kind, op):
            return construct()


def _result_of(ctx: PassContext[Any], outcome: Outcome) -> PipelineRun:
    """Convert the outcome of a dynamic pipeline to a `PipelineRun` for the pass that ran it."""
    ctx.recorded().outcome += outcome._replace(changed=False, failures=())
    return PipelineRun(outcome.failures, outcome.changed)
