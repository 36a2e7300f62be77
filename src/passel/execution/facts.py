"""Answers of a run to those who observe it, and to its analyses."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias

from passel.analysis import PreservedAnalyses, analysis_name, in_common
from passel.errors import PassFailure
from passel.execution.failures import DialectCheck, Failures
from passel.execution.reports import Reports
from passel.hooks import Bracket, Ended, OpIdentity
from passel.ir import FindsDialects, InvalidIR, LowersPasses, ability_of, outwards
from passel.passes import PassContext
from passel.passes.outcome import UNCHANGED, UNKNOWN, Outcome
from passel.passes.reachable import preserved_by
from passel.schedule import Pipeline, passes_in, passes_of, unmatched

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.hooks import Instrumentor
    from passel.ir import IRAdapter, Lifetime
    from passel.passes.remarks import RemarkFilter
    from passel.schedule import NestedStep, PipelineCompiler, Plan, Schedule, Step

PassGate: TypeAlias = "Callable[[Step, Any], bool]"
"""Decides whether a step is to run on an op."""


class VerifyEach(Enum):
    """When the IR is verified during a run.

    The input itself is never verified by a run; that is its producer's task.
    """

    OFF = "false"
    CHANGED = "true"
    """After each pass, unless it preserved everything or the op's fingerprint is unchanged."""
    ALWAYS = "always"
    """After each pass that did not preserve everything, whether or not it changed the op."""


class RunOptions(NamedTuple):
    """Options of a run.

    Attributes:
        verify: When the IR is verified.
        analyses: Whether claims to preserve analyses, or everything, are held against the IR.
        isolation: Whether each pass is checked for changes outside of its op, right after it.
        remarks: The optimization remarks that are listened to; None if nobody listens.
    """

    verify: VerifyEach = VerifyEach.CHANGED
    analyses: bool = False
    isolation: bool = False
    remarks: RemarkFilter | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of passel-opt for what is checked and is not by default."""
        asked = {
            "--verify-each=always": self.verify is VerifyEach.ALWAYS,
            "--verify-analyses": self.analyses,
            "--check-isolation": self.isolation,
        }
        return tuple(flag for flag, is_asked in asked.items() if is_asked)


class RunFacts(ABC):
    """Base of runs: their services, which strategies, observers and analyses use as well.

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
        remarks: The optimization remarks that are listened to.
        gates: What decides whether steps run.
        outer: The run whose pass this run is a part of.
        outcome: How it went, once it is over.
        verifies: Whether the IR is verified after passes.
        tracks: Whether it is found by fingerprint what passes have changed.
        isolates: Whether changes by passes on other ops are noticed.
        reports: Where diagnostics and failures go.
        failing: Makes failures.
        matched: Keys of nested pipelines that had some op to run on.
        lower: What makes fewer steps of some; None if they run as they are.
        states: What passes' `initialize` returned.
        knows_changes: Whether an outcome says whether the op was changed.
        trusts_claims: Whether passes that claim to change nothing are held to it later.
        skips: Whether what has not changed is not verified.
        examines: Whether anything is looked at after a pass.
        finds_news: Whether observers ask which passes have changed their ops.
        claimed: The outcome of a pass that claims to change nothing.
        dialects: Holds passes to their dependent dialects, if that is checked.
        this_process: Another object in each process that Python forks.
        process: The process that the run is in: a pass's child does not go on with it.
        uninitialized: Schedules whose passes cannot be initialized, and why.
        at_work: The context of the pass that is running, if one is.
        interruptions: The failure by which the run was interrupted, if it was.
    """

    this_process: ClassVar[object] = object()

    op: Any
    pipeline: Pipeline

    def __init__(
        self,
        compiler: PipelineCompiler,
        hooks: Instrumentor,
        emit: Callable[[Diagnostic], None] | None = None,
        *,
        options: RunOptions = RunOptions(),  # noqa: B008 - immutable
        gates: Sequence[PassGate] = (),
        strategy: Any,
        outer: RunFacts | None = None,
    ) -> None:
        self.adapter: IRAdapter = compiler.adapter
        self.hooks: Instrumentor = hooks
        self.outcome: Outcome = UNCHANGED
        self.concluding: list[Diagnostic] = []
        self.key_of: Callable[[Any], Hashable] = compiler.adapter.identity_of
        self._ordinals: dict[Hashable, int] = {}
        self.compiler: PipelineCompiler = compiler
        self.ir_context: Any = compiler.context
        self.options: RunOptions = options
        self.remarks: RemarkFilter | None = options.remarks
        self.gates: Sequence[PassGate] = gates
        self.outer: RunFacts | None = outer
        self.strategy: Any = strategy
        self.process: object = self.this_process
        self.at_work: PassContext[Any] | None = None
        self.failing: Failures = Failures(self.adapter)
        self.reports: Reports = Reports(emit, hooks.on_failure)
        self.states: dict[Any, Any] = {}
        self.matched: set[str] = set()
        self._lowered: dict[tuple[Pipeline, Hashable], Plan] = {}
        self.uninitialized: dict[Schedule, tuple[Step, Exception]] = {}
        self._kept: dict[object, frozenset[type]] = {}
        self.interruptions: list[Failure] = []
        self._set_policies(self.adapter, options)

    def _set_policies(self, adapter: IRAdapter, options: RunOptions) -> None:
        """Decide what is compared, verified, and run as one."""
        finds, observed = adapter.finds_changes, self.hooks.sees_all
        is_checked = options.analyses or bool(self.gates) or observed
        self.lifetime: Lifetime = adapter.lifetime()
        self.place_of: Callable[[Any], object] = self.lifetime.place_of
        self.verifies: bool = options.verify is not VerifyEach.OFF
        self.knows_changes: bool = (
            options.analyses or options.isolation or (finds and self.verifies)
        )
        self.tracks: bool = self.knows_changes or self.hooks.finds_changes
        self.isolates: bool = options.isolation or (self.tracks and finds)
        self.trusts_claims: bool = not self.knows_changes or not (
            options.analyses or options.isolation or options.verify is VerifyEach.ALWAYS
        )
        self.skips: bool = finds and options.verify is VerifyEach.CHANGED
        self.examines: bool = self.verifies or self.tracks
        self.finds_news: bool = self.tracks and self.hooks.finds_changes
        self.claimed: Outcome = UNCHANGED if self.knows_changes else UNKNOWN
        self.renew: Callable[[Any, Any], Any] = adapter.renew_fingerprint
        finder = ability_of(adapter, FindsDialects) if options.analyses else None
        self.dialects: DialectCheck | None = (
            None if finder is None else DialectCheck(self.failing, finder, self.ir_context)
        )
        lowers = None if is_checked else ability_of(adapter, LowersPasses)
        lower = None if lowers is None else partial(lowers.lower, verify=self.verifies)
        self.lower: Callable[[Any], Any] | None = lower

    @abstractmethod
    def run(self, schedule: Schedule, op: Any, parent: Step | None = None) -> Outcome:
        """Run the pipeline of a schedule."""

    @abstractmethod
    def run_nested(self, parent: Step | None, ctx: PassContext[Any]) -> Outcome:
        """Run a pipeline on one op, between its hooks if a step runs it."""

    @abstractmethod
    def run_sibling(self, task: PassContext[Any]) -> Outcome:
        """Run a nested pipeline on one op of a level."""

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
                failed = self.uninitialized.get(schedule) or schedule.initialize(self.ir_context)
                if failed is not None:
                    self.uninitialized[schedule] = failed
                    return self.reports.tell((), self.failing.raised(failed[0], op, failed[1]))
        self.states.update(schedule.states or {})
        return UNCHANGED

    def plan(self, pipeline: Pipeline, op: Any) -> Plan:
        """Return what of a pipeline runs on an op."""
        key = self.adapter.key_of(op)
        known = pipeline.plans if self.lower is None else self._lowered
        if (plan := known.get((pipeline, key))) is None:
            plan = pipeline.plan(self.adapter.kind_of(op), self.lower)
            known[pipeline, key] = plan
        self.matched |= plan.matched
        return plan

    def select(self, step: NestedStep, op: Any) -> Plan | None:
        """Return the plan of the nested pipeline that runs on an op, if one does."""
        key = self.adapter.key_of(op)
        if key not in step.chosen:
            step.chosen[key] = step.select(self.adapter.kind_of(op))
        pipeline = step.chosen[key]
        return None if pipeline is None else self.plan(pipeline, op)

    def context(self, op: Any, plan: Any) -> PassContext[Any]:
        """Return the context of the passes of a pipeline on an op that no nested step chose."""
        this: Any = self
        return PassContext(this, op, self.place_of(op), plan)

    # -- Verification and reports ---------------------------------------------------------------

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

    def invalidate(
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

    def tell(self, ctx: PassContext[Any], failure: Failure | None = None) -> Outcome:
        """Report what a step has to tell, and return it as an outcome."""
        record, ctx.record = ctx.record, None
        if failure is not None:
            ctx.failure = failure
        if record is None:
            return self.reports.tell((), failure)
        told = self.reports.tell(record.diagnostics, failure, record.counts)
        return record.outcome + told

    # -- Observers -----------------------------------------------------------------------------

    @property
    def checks(self) -> Sequence[str]:
        """The flags with which passel-opt checks what this run checks besides."""
        return self.options.flags

    @property
    def collects_statistics(self) -> bool:
        """Whether passes count also what costs time to count."""
        return self.hooks.collects_statistics

    @property
    def reported(self) -> int:
        """How many diagnostics there were so far."""
        return self.reports.count

    def hear(self, diagnostic: Diagnostic) -> bool:
        """Take what the IR's own library reports, if a pass is at work: it is that pass's."""
        if self.at_work is None:
            return False
        self.at_work.emit(diagnostic)
        return True

    def catch_up(self, number: int) -> None:
        """Report the first diagnostics of what is being merged, which comes from elsewhere."""
        self.reports.catch_up(number)

    @property
    def notes(self) -> list[str]:
        """Notes for the exception that the run raises."""
        return [note.message for each in self.concluding for note in each.notes]

    def conclude(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic about the whole run, after all others."""
        self.concluding.append(diagnostic)
        self.outcome += self.reports.tell([diagnostic])

    def unmatched(self) -> tuple[str, ...]:
        """Return the nested pipelines that found no op to run on, once the run is over.

        Not those for which there were ops when it began, nor those for `any` op. Empty if gates
        decide which steps run: these may have kept pipelines from looking for ops.
        """
        if self.gates:
            return ()
        return tuple(dict.fromkeys(unmatched(self.pipeline, self.matched)))

    def identity_of(self, op: Any) -> OpIdentity:
        """Return the identity of an op: its name, symbol, and place among its siblings."""
        ordinal = self._ordinals.get(self.key_of(op), 0)
        return OpIdentity(self.adapter.kind_of(op).name, self.adapter.symbol_name(op), ordinal)

    def identify(self, op: Any) -> tuple[OpIdentity, ...]:
        """Return the identities of an op, last, and of its enclosing ops, outermost first."""
        return tuple(map(self.identity_of, outwards(self.adapter, op)))[::-1]

    def number(self, siblings: Iterable[Any]) -> None:
        """Number ops among their siblings, for their identities."""
        self._ordinals.update((self.key_of(op), number) for number, op in enumerate(siblings))

    # -- Analyses --------------------------------------------------------------------------------

    def compute(self, kind: Any, op: Any, construct: Callable[[], Any]) -> Any:
        """Compute an analysis, between its hooks.

        Raises:
            PassFailure: The analysis changed the op, if that is checked.
        """
        name, is_checked = analysis_name(kind), self.options.analyses
        before = self.adapter.fingerprint(op) if is_checked else None
        with Bracket(self.hooks, "analysis", name, kind, op):
            result = construct()
        if is_checked and self.adapter.fingerprint(op) != before:
            raise PassFailure(f"analysis {name} changed the op that it looked at", op=op)
        return result

    def check_preserved(self, kind: Any, old: Any, op: Any, construct: Callable[[], Any]) -> None:
        """Compute an analysis that a pass preserved again, if its results can be compared.

        Raises:
            PassFailure: The result is another one.
        """
        if type(old).__eq__ is not object.__eq__ and construct() != old:
            where = self.adapter.symbol_name(op)
            on = f" of @{where}" if where else ""
            message = f"it states that it preserves {analysis_name(kind)}{on}, but changed it"
            raise PassFailure(message, op=op)


def _be_child() -> None:
    RunFacts.this_process = object()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_be_child)
