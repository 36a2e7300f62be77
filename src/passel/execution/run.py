"""One run of one schedule, from its first hook to its last."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from passel.errors import EncodingError
from passel.execution.matching import matched_now, unmatched
from passel.execution.options import RunOptions
from passel.execution.outcome import UNCHANGED, Outcome
from passel.execution.reports import Reports
from passel.execution.runner import PipelineRunner
from passel.execution.services import RunServices
from passel.execution.strategies import Sequential
from passel.hooks import Bracket, Ended, OpIdentity
from passel.ir import outwards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.execution.context import OpContext
    from passel.execution.options import PassGate
    from passel.execution.strategies import SiblingStrategy
    from passel.execution.strategies.child_run import Packed
    from passel.hooks import Instrumentor
    from passel.ir import IRAdapter
    from passel.schedule import NestedStep, Pipeline, PipelineCompiler, Schedule, Step


class Run:
    """One run, as instrumentations see it.

    Args:
        compiler: Compiles pipelines for the IR's context.
        instrumentor: The hooks.
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
        outer: The run whose pass this run is a part of.
        verifies: Whether the IR is verified after passes.
        checks: The flags with which passel-opt checks what this run checks besides.
        gates: How many gates decide whether passes are to run.
        outcome: How it went, once it is over.
        concluding: What was reported about the run as a whole.
    """

    op: Any
    pipeline: Pipeline

    def __init__(
        self,
        compiler: PipelineCompiler,
        instrumentor: Instrumentor,
        emit: Callable[[Diagnostic], None] | None = None,
        *,
        options: RunOptions = RunOptions(),  # noqa: B008 - immutable
        gates: Sequence[PassGate] = (),
        strategy: SiblingStrategy | None = None,
        outer: Run | None = None,
    ) -> None:
        self._hooks = instrumentor
        self._reports = Reports(emit, instrumentor.on_failure)
        self._services = RunServices(compiler, instrumentor, options, gates, self._reports)
        self._strategy = strategy or Sequential()
        self._runner = PipelineRunner(self._services, self._strategy, self._cross)
        self._emit = emit
        self.adapter: IRAdapter = compiler.adapter
        self.ir_context: Any = compiler.context
        self.outer: Run | None = outer
        self.verifies: bool = self._services.verifies
        self.checks: Sequence[str] = options.flags
        self.outcome: Outcome = UNCHANGED
        self.concluding: list[Diagnostic] = []

    @property
    def counts(self) -> Mapping[tuple[str, str], int]:
        """Statistics by the pass's path and the statistic's name, once the run is over."""
        return self.outcome.counts

    @property
    def failures(self) -> Sequence[Failure]:
        """Every failure, once the run is over."""
        return self.outcome.failures

    def unmatched(self) -> tuple[str, ...]:
        """Return the nested pipelines that found no op to run on, once the run is over.

        Not those for which there were ops when it began, nor those for `any` op. Empty if gates
        decide which steps run: these may have kept pipelines from looking for ops.
        """
        if self._services.gates:
            return ()
        found = unmatched(self.pipeline, self._services.matched)
        return tuple(dict.fromkeys(found))

    def identity_of(self, op: Any) -> OpIdentity:
        """Return the identity of an op."""
        adapter, services = self.adapter, self._services
        ordinal = services.ordinals.get(services.identity_of(op), 0)
        return OpIdentity(adapter.kind_of(op).name, adapter.symbol_name(op), ordinal)

    def identify(self, op: Any) -> tuple[OpIdentity, ...]:
        """Return the identities of an op, last, and of its enclosing ops, outermost first."""
        chain = [self.identity_of(each) for each in outwards(self.adapter, op)]
        return tuple(reversed(chain))

    @property
    def reported(self) -> int:
        """How many diagnostics there were so far."""
        return self._reports.count

    def catch_up(self, number: int) -> None:
        """Report the first diagnostics of what is being merged, which comes from elsewhere."""
        self._reports.catch_up(number)

    def branch(self, reports: Reports) -> Run:
        """Return the run as it is seen in another thread or process."""
        other = copy(self)
        other._reports = reports
        return other

    @property
    def notes(self) -> list[str]:
        """Notes for the exception that the run raises."""
        return [note.message for each in self.concluding for note in each.notes]

    def conclude(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic about the whole run, after all others."""
        diagnostic.detach(render=False)
        self.concluding.append(diagnostic)
        diagnostics = (*self.outcome.diagnostics, diagnostic)
        self.outcome = self.outcome._replace(diagnostics=diagnostics)
        self._reports([diagnostic])

    def run(self, schedule: Schedule, op: Any, parent: Step | None = None) -> Outcome:
        """Run the top-level pipeline.

        Args:
            schedule: What to run.
            op: The op.
            parent: The step of the outer run that this one is a part of.

        Raises:
            BaseException: The run was interrupted. `outcome` says how far it came.
        """
        __tracebackhide__ = True  # in tracebacks of interrupts
        self.op, self.pipeline = op, schedule.pipeline
        self._services.matched.update(matched_now(self.adapter, self.pipeline, op))
        hooks = self._hooks
        hooks.run = self
        try:
            with Bracket(hooks, "run", self) as bracket:
                self.outcome = self._runner.run_root(schedule, op, parent)
                bracket.ended = Ended(bool(self.outcome.failures))
        finally:
            hooks.forget_run()
        if self.outcome.interrupt is not None:
            raise self.outcome.interrupt
        return self.outcome

    def do_share(
        self, schedule: Schedule, step: NestedStep, ops: Sequence[Any]
    ) -> Iterator[tuple[Outcome, Packed]]:
        """Do a share of another run's work on siblings; yield the outcome and changes of each.

        Args:
            schedule: The nested step alone.
            step: That step.
            ops: Copies of some siblings.

        Raises:
            EncodingError: That is not all that there is to say, or it cannot be sent.
        """
        enclosing = self.adapter.parent(ops[0])
        self.op, self.pipeline = enclosing, schedule.pipeline
        self._hooks.run = self
        self._reports.held = 1
        if self._runner.initialize(schedule, enclosing).failures:
            raise EncodingError  # it is to fail where it comes from
        children = self._runner.child_run(step, enclosing)
        identity_of = self._services.identity_of
        wanted = set(map(identity_of, ops))
        tasks = [each for each in children.tasks if identity_of(each.op) in wanted]
        with children.apart():
            yield from children.work_off(tasks)

    def _cross(
        self,
        services: RunServices,
        ctx: OpContext,
        schedule: Schedule,
        op: Any,
        compiler: PipelineCompiler,
    ) -> Outcome:
        """Run a schedule for ops of another IR inside of a pass."""
        reports = services.reports
        inner = Run(
            compiler,
            services.hooks.crossing(),
            None if self._emit is None else lambda diagnostic: reports([diagnostic]),
            options=services.options,
            gates=services.gates,
            strategy=self._strategy,
            outer=self,
        )
        try:
            inner.run(schedule, op, ctx.step)
        except BaseException as error:
            if inner.outcome.interrupt is None:
                raise
            inner.outcome = inner.outcome._replace(interrupt=error)
        self.concluding += inner.concluding
        return inner.outcome
