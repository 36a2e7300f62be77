"""The loop over the steps of a pipeline: the only code that executes passes.

`Loop.run_steps` executes each step on an op in this order: gates, the pass or the nested pipelines,
a check that the op still exists, invalidation of analyses, detection of changes, and verification.
If a pass raises an exception, analyses that it did not preserve are dropped, its diagnostics and
the failure are reported, the hooks after the pass are called, and the rest of the op's pipeline is
skipped. The pipelines of sibling ops run nevertheless.

An op is also verified before and after its nested pipelines run, after a pass on a sibling op has
changed it, and at the end of its pipeline if the last passes preserved everything.

Source: `OpToOpPassAdaptor::run` and `runPipeline`, MLIR 22.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from passel.analysis import EVERYTHING, PreservedAnalyses, in_common
from passel.errors import PassFailure
from passel.execution.failures import Failures, sole
from passel.execution.siblings import Siblings, violations_around
from passel.hooks import Ended, ObservedRun
from passel.hooks.instrumentor import Bracket
from passel.hooks.observed_run import Reports
from passel.passes.outcome import CHANGED, PLAIN, UNCHANGED, UNKNOWN, Outcome
from passel.passes.reachable import preserved_by
from passel.schedule import NestedStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.hooks import Instrumentor
    from passel.ir import InvalidIR
    from passel.passes import PassContext
    from passel.passes.remarks import RemarkFilter
    from passel.schedule.compiler import PipelineCompiler
    from passel.schedule.model import Pipeline, Plan, Step

PassGate: TypeAlias = "Callable[[Step, Any], bool]"
"""A function that takes a step and an op, and returns whether the step runs on the op."""

_NOTHING: frozenset[type] = frozenset()

_SKIPPED = Outcome()
"""The outcome of a step that a gate has skipped."""


class Loop(ObservedRun):
    """The base class of runs that execute pipelines on an op and on its nested ops.

    Args:
        compiler: The object that compiles pipelines for a context of the IR.
        hooks: The `Instrumentor`, which calls the hooks of all instrumentations.
        emit: The function that is called with each diagnostic; None to discard diagnostics.
        verify: Whether to verify the IR: True after each pass that changed its op's fingerprint and
            did not preserve everything, `"always"` after each pass that did not preserve
            everything, even if its op is unchanged, and False never. After a pass that preserved
            everything, verification is deferred to the next check of the op. The input of the run
            is not verified, and must be valid.
        remarks: The filter for optimization remarks; None to discard all remarks.
        gates: The functions that decide whether a step runs.
        strategy: The strategy that distributes sibling ops over workers.
        outer: If a pass of a run on another IR started this run, that run; otherwise None.

    Attributes:
        failing: The object that creates failures.
        knows_changes: Whether each outcome says if the step changed the op.
        isolates: Whether the run detects a pass that changes ops outside the op that it runs on.
        tracks: Whether fingerprints are computed after passes to detect changes.
        skips: Whether verification is skipped for ops with unchanged fingerprints.
        running: The `PassContext` of the running pass; None between passes.
        declared: A function that returns the analyses that all passes of a step or a pipeline
            declare in `preserves`.
        interrupted: The outcome of the innermost interrupted step; `UNKNOWN` if there was no
            interrupt in a step.
    """

    def __init__(
        self,
        compiler: PipelineCompiler,
        hooks: Instrumentor,
        emit: Callable[[Diagnostic], None] | None = None,
        *,
        verify: bool | Literal["always"] = True,
        remarks: RemarkFilter | None = None,
        gates: Sequence[PassGate] = (),
        strategy: Any,
        outer: Loop | None = None,
    ) -> None:
        adapter = compiler.adapter
        super().__init__(adapter, compiler.context, Reports(emit), outer)
        self.compiler: PipelineCompiler = compiler
        self.hooks: Instrumentor = hooks
        self.verify_each: bool | Literal["always"] = verify
        self.remarks: RemarkFilter | None = remarks
        self.gates: Sequence[PassGate] = gates
        self.strategy: Any = strategy
        self.failing: Failures = Failures(adapter)
        finds = adapter.finds_changes
        self.verifies: bool = verify is not False
        self.knows_changes: bool = finds and self.verifies
        self.isolates: bool = self.knows_changes or hooks.finds_violations
        self.tracks: bool = self.isolates or hooks.finds_changes
        self.skips: bool = finds and verify is True
        always = ("--verify-each=always",) if verify == "always" else ()
        self.flags: tuple[str, ...] = always + hooks.flags
        self.running: PassContext[Any] | None = None
        self.interrupted: Outcome = UNKNOWN
        self._uninitialized: dict[Pipeline, tuple[Step, Exception]] = {}
        lowers = None if gates or hooks.needs_single_passes else compiler.lowers
        self._lower = None if lowers is None else partial(lowers.lower, verify=self.verifies)
        self.declared: Callable[[Step | Pipeline], frozenset[type]] = cache(_preserved)
        self._lowered: dict[tuple[Pipeline | Step, Hashable], Plan | None] = {}

    # -- One op -----------------------------------------------------------------------------------

    def run_nested(self, parent: Step | None, ctx: PassContext[Any]) -> Outcome:
        """Run a pipeline on one op, and call the pipeline hooks if `parent` is not None."""
        __tracebackhide__ = True
        if parent is None or not self.hooks.sees["pipeline"]:
            return self.run_pipeline(ctx)
        with Bracket(self.hooks, "pipeline", ctx.plan.pipeline, ctx.op, parent) as hooks:
            outcome = self.run_pipeline(ctx)
            hooks.ended = Ended(bool(outcome.failures))
        return outcome

    def run_pipeline(self, ctx: PassContext[Any]) -> Outcome:
        """Run the steps of a pipeline on one op, up to the first step that fails."""
        __tracebackhide__ = True
        plan = ctx.plan
        total = self.run_observed(ctx) if self.hooks.sees_steps else self.run_steps(plan.steps, ctx)
        if total.failures:
            ctx.valid_state = None  # the failed step may have changed the op
        else:
            # If changes are unknown, the op is verified later, together with the enclosing op.
            if ctx.deferred and (self.tracks or ctx.parent is None):
                total += self.verify_changes(ctx.deferred.pop(), ctx)
            if plan.rejected is not None:
                suspect = sole(plan.rejected, ctx.op)
                failure = self.failing.of("unschedulable", suspect, plan.rejection)
                total += self.tell(ctx, failure)
        return total

    def run_observed(self, ctx: PassContext[Any]) -> Outcome:
        """Run all steps of a pipeline on one op, and call the hooks around each step."""
        __tracebackhide__ = True
        total, seen = UNCHANGED, None
        for step in ctx.plan.steps:
            outcome, ctx.failure, changed = UNCHANGED, None, False
            is_compared = self.tracks and step.pass_ is not None
            if is_compared and ctx.valid_state is None:
                ctx.valid_state = self.adapter.fingerprint(ctx.op)
            seen = ctx.valid_state if seen is None else seen
            hooks = Bracket(self.hooks, "pass", step, ctx.op)
            hooks.refused = partial(self.failing.raised, step, ctx.op)
            try:
                with hooks:
                    try:
                        outcome = self.run_steps((step,), ctx)
                    except BaseException:
                        failure = next(iter(self.interrupted.failures), None)
                        hooks.ended = Ended(True, failure, outcome=self.interrupted)
                        raise
                    failed, skipped = bool(outcome.failures), outcome is _SKIPPED
                    if is_compared and not failed:
                        was, seen = seen, ctx.valid_state
                        if ctx.deferred and self.hooks.finds_changes:  # it was not examined
                            seen = self.adapter.renew_fingerprint(ctx.op, was)
                        changed = seen is not was and seen != was
                    hooks.ended = Ended(failed, ctx.failure, skipped, changed, outcome, ctx)
            except PassFailure as error:  # of a hook that judges passes
                if error.kind == "isolation":
                    list(violations_around(ctx))  # consumed, so that they are not reported again
                failure = hooks.ended.failure or self.failing.raised(step, ctx.op, error)
                outcome += self.tell(ctx, failure)
            total += outcome
            if outcome.failures:
                break
            seen = None if step.pass_ is None else seen
        return total

    def run_steps(self, steps: Iterable[Step], ctx: PassContext[Any]) -> Outcome:
        """Run steps on one op without hooks, up to the first step that fails."""
        __tracebackhide__ = True  # in tracebacks of passes, which pytest and IPython show
        op, total, step = ctx.op, UNCHANGED, ctx.step
        gates, tracks, check_step = self.gates, self.tracks, self.check_step
        is_unchecked, place, place_of = not self.verifies, ctx.place, self.adapter.place_of
        try:
            for step in steps:
                ctx.step, ctx.preserved, ctx.is_verified = step, _NOTHING, is_unchecked
                raised, outcome = None, UNKNOWN
                try:
                    if gates and not all(gate(step, op) for gate in gates):
                        total += _SKIPPED
                        continue
                    if step.pass_ is None:
                        outcome = Siblings(step, ctx).run()
                    else:
                        if tracks and ctx.valid_state is None:
                            ctx.valid_state = self.adapter.fingerprint(op)
                        self.running = ctx
                        step.pass_.run(op, ctx)
                except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                    raised, ctx.is_verified = error, False
                self.running = None
                # Without verification, most steps leave nothing to check, which saves the call.
                is_checked = not ctx.is_verified or ctx.record or ctx.cached or tracks
                if is_checked or place_of(op) is not place:
                    outcome = check_step(step, ctx, outcome, raised)
                if outcome is not total:
                    total += outcome
                    if outcome.failures:
                        break
        except BaseException as error:
            self._interrupt(step, ctx, error)
            raise
        return total

    def check_step(
        self, step: Step, ctx: PassContext[Any], outcome: Outcome, raised: Exception | None
    ) -> Outcome:
        """Check the op after a step has run on it, and return the outcome of the step.

        Args:
            step: The step that has run.
            ctx: The `PassContext` of the op.
            outcome: The outcome of the nested pipelines; `UNKNOWN` for a pass.
            raised: The exception that the step raised; None if it raised no exception.
        """
        failure, place = None, self.adapter.place_of(ctx.op)
        is_lost = place is not ctx.place and place != ctx.place
        if ctx.cached is not None and not is_lost:
            error = self.invalidate(step, ctx, outcome)
            raised = error if raised is None else raised
        # If its op is gone, a step may have raised for that reason, which is reported instead.
        if raised is not None and (self.adapter.survives_loss or not is_lost):
            failure = self.failing.raised(step, ctx.op, raised)
        if is_lost:
            failure, outcome = failure or self.failing.lost(step, ctx), outcome + CHANGED
        if failure is None and step.pass_ is not None:
            if ctx.preserved is EVERYTHING:
                ctx.deferred.append(step)
                outcome = UNCHANGED if self.knows_changes else UNKNOWN
            elif ctx.record is None or not ctx.record.outcome.failures:  # of `Run.blame`
                outcome = self.verify_changes(step, ctx)
        if failure is None and ctx.record is None:
            return outcome
        return outcome + self.tell(ctx, failure)

    def invalidate(self, step: Step, ctx: PassContext[Any], outcome: Outcome) -> Exception | None:
        """Drop the analyses that a step has not preserved.

        After a step with nested pipelines, the enclosing op keeps only the analyses that all nested
        passes declare in `preserves`, whether or not these passes changed anything.

        Returns:
            The exception that the method `is_invalidated` of an analysis raised; None if it raised
            no exception.
        """
        ran = outcome.preserved
        if ctx.record is not None:
            ran = in_common(ran, ctx.record.outcome.preserved)
        kept = in_common(self.declared(step), ran) | ctx.preserved
        if step.pass_ is not None:
            kept |= set(step.pass_.produces)
        try:
            ctx.analyses.invalidate(PreservedAnalyses(kept))
        except Exception as error:  # noqa: BLE001 - an analysis's own code ran: `is_invalidated`
            return error
        return None

    def plan(self, part: Pipeline | NestedStep, op: Any) -> Plan | None:
        """Return the plan of a pipeline for an op. The plan is cached for each kind of op.

        Args:
            part: The pipeline, or a step, whose pipeline that matches the op is planned.
            op: The op to run the pipeline on.

        Returns:
            The plan, or None if no pipeline of the step matches the op.
        """
        key = part, self.adapter.key_of(op)
        known = part.plans if self._lower is None else self._lowered
        if key not in known:
            kind = self.adapter.kind_of(op)
            pipeline = part.select(kind) if isinstance(part, NestedStep) else part
            known[key] = pipeline and pipeline.plan(kind, self._lower)
        return known[key]

    # -- Changes and verification -----------------------------------------------------------------

    def verify_changes(self, step: Step, ctx: PassContext[Any]) -> Outcome:
        """Determine whether a pass has changed its op, and verify the op if needed.

        The op is not verified if verification is disabled, or if the pass has already verified the
        op. If the adapter finds changes, an op with an unchanged fingerprint is verified only if
        the option `verify` is `"always"`. `check_step` does not call this method for a pass that
        failed, and defers the call for a pass that called `ctx.preserve_all()`. If the op is
        invalid, the failure also names the earlier passes after which verification was deferred.
        """
        was, changed = ctx.valid_state, None
        if self.tracks:
            ctx.valid_state = self.adapter.renew_fingerprint(ctx.op, was)
            changed = ctx.valid_state is not was
            if not changed and self.skips and not ctx.deferred:
                return UNCHANGED
        deferred, ctx.deferred = ctx.deferred, []
        outcome = PLAIN[changed if self.knows_changes else None]
        if ctx.is_verified or (self.skips and not changed):
            return outcome
        if (error := self.verify(step, ctx.op)) is None:
            return outcome
        failure = self.failing.invalid(sole(step, ctx.op), error, deferred)
        return outcome + self.tell(ctx, failure)

    def verify(self, step: Step, op: Any, *, recursive: bool = True) -> InvalidIR | None:
        """Verify an op after a step, unless verification is disabled.

        Args:
            step: The step that has just run.
            op: The op to verify.
            recursive: Whether to verify all nested ops too.

        Returns:
            The error of the verifier, or None if the op is valid or was not verified.
        """
        if not self.verifies:
            return None
        with Bracket(self.hooks, "verification", step, op) as hooks:
            error = self.adapter.verification_error(op, recursive=recursive)
            hooks.ended = Ended(failed=error is not None)
        return error

    def tell(self, ctx: PassContext[Any], failure: Failure | None = None) -> Outcome:
        """Report the diagnostics and the failure of a step, and return the outcome of the step."""
        record, ctx.record = ctx.record, None
        if failure is not None:
            ctx.failure = failure
        if record is None:
            return self.reports.tell(failure)
        return record.outcome + self.reports.tell(failure, record.diagnostics, record.counts)

    # -- Failures ---------------------------------------------------------------------------------

    def _interrupt(self, step: Step, ctx: PassContext[Any], error: BaseException) -> None:
        """Record the failure of the innermost step that was interrupted."""
        if not self.interrupted.failures:
            failure = self.failing.interrupted(step, ctx, error)
            failure.diagnostic.detach(render=False)
            error.add_note(str(failure))
            self.interrupted = Outcome(None, (failure,))
            self.tell(ctx)


def _preserved(what: Step | Pipeline) -> frozenset[type]:
    """Return the classes of the analyses that all passes of a step or a pipeline preserve."""
    return preserved_by(each.pass_ for each in passes_of(what))
