"""The run loop: the only place where passes are executed.

`run_pipeline` reads top to bottom in the order in which things happen to one op. Whatever
observes a run is an instrumentation; verification is the loop's own step.

Source: `OpToOpPassAdaptor::run` and `runPipeline`, MLIR 22.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.context import PassContext
from passel.errors import PassFailure
from passel.execution.failures import FailureReporter
from passel.ir import InvalidIR
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.instrumentation import Instrumentor
    from passel.ir import IRAdapter
    from passel.schedule import NestedStep, Pipeline, Step


class VerifyEach(Enum):
    """When the IR is verified during a run.

    The input itself is never verified by a run; that is its producer's task.
    """

    OFF = "false"
    CHANGED = "true"
    """After each pass, unless it preserved everything or the op's fingerprint is unchanged."""
    ALWAYS = "always"
    """After each pass that did not preserve everything, whether or not it changed the op."""


class _Plan(NamedTuple):
    """A pipeline as far as one kind of op can run it."""

    pipeline: Pipeline
    steps: tuple[Step, ...]
    obstacle: str


class Execution:
    """One run of one schedule.

    Attributes:
        failures: Every failure so far, in program order.
        counts: Statistics by the pass's path and the statistic's name.
        changed: Whether any pass changed the IR, as far as verification had to know.
    """

    def __init__(
        self,
        adapter: IRAdapter,
        ir_context: Any,
        instrumentor: Instrumentor,
        verify: VerifyEach,
        emit: Callable[[Diagnostic], None],
    ) -> None:
        self.adapter = adapter
        self.ir_context = ir_context
        self.hooks = instrumentor
        self.verify = verify
        self.emit = emit
        self.report = FailureReporter(adapter)
        self.failures: list[Failure] = []
        self.counts: dict[tuple[str, str], int] = {}
        self._plans: dict[NestedStep, dict[Hashable, _Plan | None]] = {}

    def run(self, pipeline: Pipeline, op: Any) -> bool | None:
        """Run the top-level pipeline; see `failures` for how it went.

        Returns:
            Whether the IR changed; None if nobody had to know.
        """
        plan = _Plan(pipeline, *pipeline.admit(self.adapter.kind_of(op)))
        return self._run_pipeline(plan, op)

    def _run_pipeline(self, plan: _Plan, op: Any) -> bool | None:  # noqa: C901, PLR0915 - one order, one function
        """Run a pipeline's passes on one op, in order, up to the first that fails.

        Returns:
            Whether the op changed; None if that is not known.
        """
        hooks, adapter, report = self.hooks, self.adapter, self.report
        verify = self.verify is not VerifyEach.OFF
        track = self.verify is VerifyEach.CHANGED
        ctx = PassContext(adapter, self.ir_context, self.emit, self.counts)
        ctx.op = op
        valid: object = None  # the fingerprint of the op when it was last known to be valid
        changed: bool | None = False

        for step in plan.steps:
            ctx.path = step.path
            ctx._preserved_all = False  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
            if track and valid is None and isinstance(step, PassStep):
                valid = adapter.fingerprint(op)

            for hook in hooks.before_pass:
                hook(step, op)

            failure: Failure | None = None
            failed, touched = False, None
            try:
                if isinstance(step, PassStep):
                    step.pass_.run(op, ctx)
                else:
                    failed, touched = self._run_children(step, op)
            except PassFailure as error:
                failure = report.gave_up(step, op, error)
            except Exception as error:  # noqa: BLE001 - a crash of the pass, reported as one
                failure = report.crashed(step, op, error)
            except BaseException as error:
                failure = report.interrupted(step, op, error)
                error.add_note(str(failure))
                for hook in hooks.after_pass_failed:
                    hook(step, op, failure)
                raise

            if verify and failure is None and not failed:
                if isinstance(step, PassStep):
                    touched = False
                    # What a pass that "preserved everything" broke is found after the next one.
                    if not ctx._preserved_all:  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
                        now = adapter.fingerprint(op) if track else None
                        touched = None if now is None else now != valid
                        if touched is not False:
                            failure = self._verify(step, op, recursive=True)
                            valid = now
                elif touched is not False:
                    # Nested passes have verified what they changed; this op's own rules are left.
                    failure = self._verify(step, op, recursive=False)
                    valid = None
            if touched is not False and not changed:
                changed = touched

            if failure is None and not failed:
                for hook in hooks.after_pass:
                    hook(step, op)
                continue
            if failure is not None:
                self._fail(failure)
            for hook in hooks.after_pass_failed:
                hook(step, op, failure)
            return None

        if plan.obstacle:
            next_step = plan.pipeline.steps[len(plan.steps)]
            self._fail(report.unschedulable(next_step, op, plan.obstacle))
            return None
        return changed

    def _run_children(self, step: NestedStep, op: Any) -> tuple[bool, bool | None]:
        """Run nested pipelines on the ops immediately inside `op`, in program order.

        A failure on one op does not keep its siblings from being processed.

        Returns:
            Whether any of them failed, and whether any of them changed.
        """
        hooks = self.hooks
        plans = self._plans.setdefault(step, {})
        key_of = self.adapter.key_of
        failures = len(self.failures)
        changed: bool | None = False
        for child in self.adapter.children(op):
            key = key_of(child)
            try:
                plan = plans[key]
            except KeyError:
                plan = plans[key] = self._plan(step, child)
            if plan is None:
                continue
            for hook in hooks.before_pipeline:
                hook(plan.pipeline, child, step)
            failures_before = len(self.failures)
            failed = True  # also if an interrupt ends it
            try:
                touched = self._run_pipeline(plan, child)
                failed = len(self.failures) > failures_before
            finally:
                for hook in hooks.after_pipeline:
                    hook(plan.pipeline, child, step, failed=failed)
            if touched is not False and not changed:
                changed = touched
        return len(self.failures) > failures, changed

    def _plan(self, step: NestedStep, op: Any) -> _Plan | None:
        """Decide once per kind of op which of the nested pipelines runs on it."""
        kind = self.adapter.kind_of(op)
        pipeline = step.select(kind)
        return None if pipeline is None else _Plan(pipeline, *pipeline.admit(kind))

    def _fail(self, failure: Failure) -> None:
        self.failures.append(failure)
        self.emit(failure.diagnostic)

    def _verify(self, step: Step, op: Any, *, recursive: bool) -> Failure | None:
        try:
            self.adapter.verify(op, recursive=recursive)
        except InvalidIR as error:
            return self.report.invalid(step, op, error)
        return None
