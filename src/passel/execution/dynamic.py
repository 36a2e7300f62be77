"""Pipelines that passes run: on their op, inside of it, or on an op of another IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.analysis import PreservedAnalyses, in_common
from passel.errors import AnchorError, Problem
from passel.execution.failures import Suspects
from passel.ir import ANY, outwards
from passel.passes import PipelineRun
from passel.passes.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.execution.facts import RunFacts
    from passel.passes import PassContext
    from passel.passes.op_pass_manager import OpPassManager
    from passel.schedule import PassStep, PipelineCompiler

_NOT_INSIDE = (
    "Trying to schedule a dynamic pipeline on an operation that isn't nested under the current "
    "operation the pass is processing"
)


def run_dynamic(
    run: RunFacts, ctx: PassContext[Any], pipeline: OpPassManager, op: Any
) -> PipelineRun:
    """Run a pipeline for a pass; see `PassContext.run_pipeline`.

    Source: the pipeline callback in `OpToOpPassAdaptor::run`, MLIR 22.
    """
    kind = run.adapter.kind_of(op)
    if pipeline.anchor not in (ANY, kind.name):
        message = f"can't run '{pipeline.anchor}' pass manager on '{kind.name}' op"
        raise AnchorError(Problem(message))
    flush(run, ctx)  # what the pass has reported comes before what runs now
    try:
        # Not `is`: bindings may have several objects for one op.
        analyses = ctx.analyses if op == ctx.op else ctx.analyses.nest(op)
    except ValueError:
        refused = run.reports.tell((), run.failing.unschedulable(None, op, _NOT_INSIDE))
        return _take(ctx, Outcome(False, refused.failures, refused.diagnostics))
    if run.hooks.sees_steps:
        for each in outwards(run.adapter, op):
            if each == ctx.op:
                break
            run.number(run.adapter.children(run.adapter.parent(each)))
    step = ctx.step
    schedule = run.compiler.schedule(pipeline, ctx.path)
    outcome = run.initialize(schedule, op)
    if not outcome.failures:
        inner = run.context(op, run.plan(schedule.pipeline, op))
        inner.cached, inner.caller = analyses, ctx
        outcome = run.run_nested(step, inner)
        run.at_work = ctx
    kept = in_common(run.preserved(schedule.pipeline), outcome.preserved)
    if op != ctx.op and outcome.changed is not False:
        analyses.invalidate_between(ctx.op, PreservedAnalyses(kept))
    return _take(ctx, outcome, kept)


def run_elsewhere(
    run: RunFacts,
    ctx: PassContext[Any],
    pipeline: OpPassManager,
    op: Any,
    compiler: PipelineCompiler,
) -> PipelineRun:
    """Run a pipeline for a pass on an op of another IR, which it has made from its own.

    It takes part in the run as dynamic pipelines do; instrumentations see it that can
    (`PassInstrumentation.crosses`). The compiler is one for that IR, kept for a whole run.
    """
    compiler.guard = run.compiler.guard
    flush(run, ctx)
    inner = run.crossing(compiler)
    schedule = compiler.schedule(pipeline, ctx.path)
    try:
        outcome = inner.run(schedule, op, ctx.step)
    finally:
        run.concluding += inner.concluding
    return _take(ctx, outcome)


def blame(
    run: RunFacts, ctx: PassContext[Any], steps: Sequence[PassStep], op: Any, error: Any
) -> None:
    """Report that one of several steps failed on an op, which an adapter has made one pass of.

    `error` is the `InvalidIR` of the verifier, if invalid IR is left.
    """
    flush(run, ctx)
    failure = run.failing.of_one_in(Suspects(ctx.step, steps, [op]), error)
    ctx.recorded().outcome += run.reports.tell((), failure)


def flush(run: RunFacts, ctx: PassContext[Any]) -> None:
    """Report what the pass has told so far."""
    if ctx.record is not None:
        told = run.tell(ctx)
        ctx.recorded().outcome = told


def _take(
    ctx: PassContext[Any], outcome: Outcome, kept: frozenset[type] | None = None
) -> PipelineRun:
    """Hand an outcome to the pass: whether it fails is up to that."""
    preserved = outcome.preserved if kept is None else kept
    taken = Outcome(False, (), outcome.diagnostics, outcome.counts, preserved)
    ctx.recorded().outcome += taken
    return PipelineRun(outcome.failures, outcome.changed)
