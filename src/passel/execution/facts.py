"""Answers of a run to those who observe it, and to its analyses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from passel.analysis import analysis_name
from passel.errors import PassFailure
from passel.execution.matching import unmatched
from passel.hooks import Bracket, OpIdentity
from passel.ir import outwards
from passel.passes.outcome import UNCHANGED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.execution.failures import Failures
    from passel.execution.options import PassGate, RunOptions
    from passel.execution.plans import Plans
    from passel.execution.reports import Reports
    from passel.hooks import Instrumentor
    from passel.ir import IRAdapter, Lifetime
    from passel.passes import PassContext
    from passel.schedule import NestedStep, Pipeline, PipelineCompiler, Schedule, Step


class RunFacts(ABC):
    """Base of runs: what strategies, observers and analyses may ask of one; see `Run`.

    Args:
        adapter: The adapter of the IR.
        hooks: The hooks.
    """

    op: Any
    pipeline: Pipeline
    compiler: PipelineCompiler
    ir_context: Any
    options: RunOptions
    gates: Sequence[PassGate]
    strategy: Any
    reports: Reports
    failing: Failures
    plans: Plans
    lifetime: Lifetime
    place_of: Callable[[Any], object]
    renew: Callable[[Any, Any], Any]
    do_step: Callable[[Any, Any], Outcome]

    def __init__(self, adapter: IRAdapter, hooks: Instrumentor) -> None:
        self.adapter: IRAdapter = adapter
        self.hooks: Instrumentor = hooks
        self.outcome: Outcome = UNCHANGED
        self.concluding: list[Diagnostic] = []
        self.key_of: Callable[[Any], Hashable] = adapter.identity_of
        self._ordinals: dict[Hashable, int] = {}
        self._enclosing: tuple[OpIdentity, ...] = ()  # of a share, where it comes from

    @abstractmethod
    def run(self, schedule: Schedule, op: Any, parent: Step | None = None) -> Outcome:
        """Run the pipeline of a schedule."""

    @abstractmethod
    def crossing(self, compiler: PipelineCompiler) -> Self:
        """Return a run for ops of another IR, inside of a pass."""

    @abstractmethod
    def initialize(self, schedule: Schedule, op: Any) -> Outcome:
        """Call `initialize` of every pass that has one, once per schedule."""

    @abstractmethod
    def context(
        self, op: Any, plan: Any, parent: PassContext[Any] | None = None, number: int = 0
    ) -> PassContext[Any]:
        """Return the context of the passes of a pipeline on an op."""

    @abstractmethod
    def run_nested(self, parent: Step, ctx: PassContext[Any]) -> Outcome:
        """Run a nested or dynamic pipeline on one op, between its hooks."""

    @abstractmethod
    def run_pipeline(self, ctx: PassContext[Any]) -> Outcome:
        """Run all steps on one op, up to the first that fails."""

    @abstractmethod
    def run_sibling(self, task: PassContext[Any]) -> Outcome:
        """Run a nested pipeline on one op of a level."""

    @abstractmethod
    def preserved(self, what: Step | Pipeline) -> frozenset[type]:
        """Return the analyses that all passes of a step or a pipeline preserve."""

    @abstractmethod
    def tell(self, ctx: PassContext[Any], failure: Failure | None = None) -> Outcome:
        """Report what a step has to tell, and return it as an outcome."""

    @abstractmethod
    def branch(self, tasks: Sequence[PassContext[Any]]) -> tuple[Self, Any]:
        """Return the run as a worker does it for some tasks, with parts of its observers."""

    @abstractmethod
    def start_share(self, schedule: Schedule, step: NestedStep, ops: Sequence[Any]) -> Any:
        """Begin a share of another run's work on siblings, and return these as a level."""

    @abstractmethod
    def merge(self, parts: Any, outcomes: Sequence[Outcome]) -> None:
        """Take over what a worker has observed, and report what it has to tell."""

    @abstractmethod
    def fail_dead(self, task: PassContext[Any], how: str, in_pass: int = 0) -> Outcome:
        """Return the outcome of a task whose worker has died."""

    # -- Observers -----------------------------------------------------------------------------

    @property
    def counts(self) -> Mapping[tuple[str, str], int]:
        """Statistics by the pass's path and the statistic's name, once the run is over."""
        return self.outcome.counts

    @property
    def failures(self) -> Sequence[Failure]:
        """Every failure, once the run is over."""
        return self.outcome.failures

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
        return tuple(dict.fromkeys(unmatched(self.pipeline, self.plans.matched)))

    def identity_of(self, op: Any) -> OpIdentity:
        """Return the identity of an op: its name, symbol, and place among its siblings."""
        ordinal = self._ordinals.get(self.key_of(op), 0)
        return OpIdentity(self.adapter.kind_of(op).name, self.adapter.symbol_name(op), ordinal)

    def identify(self, op: Any) -> tuple[OpIdentity, ...]:
        """Return the identities of an op, last, and of its enclosing ops, outermost first."""
        chain: list[OpIdentity] = []
        for each in outwards(self.adapter, op):
            if self._enclosing and each == self.op:
                chain += self._enclosing[::-1]
                break
            chain.append(self.identity_of(each))
        return tuple(reversed(chain))

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
