"""The run that instrumentations observe: the identities of ops, and reports."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import outwards
from passel.passes.outcome import NO_COUNTS, UNCHANGED, Outcome, sum_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.ir import IRAdapter
    from passel.passes.outcome import Counts
    from passel.schedule import Pipeline


class OpIdentity(NamedTuple):
    """The identity of an op: its name, and its place among its siblings.

    Attributes:
        name: The name of the op, such as `func.func`.
        symbol: The symbol name; None if the op defines no symbol.
        ordinal: The index of the op among the ops immediately inside the enclosing op when the
            nested pipelines start, counted from 0.
    """

    name: str
    symbol: str | None = None
    ordinal: int = 0

    @property
    def title(self) -> str:
        """The description of the op in MLIR's style, such as `'func.func' operation: @main`."""
        suffix = "" if self.symbol is None else f": @{self.symbol}"
        return f"'{self.name}' operation{suffix}"


class Run:
    """The run that instrumentations observe.

    Args:
        adapter: The adapter of the IR.
        ir_context: The IR's own context.
        reports: The receiver of diagnostics and failures.
        outer: The run on another IR whose pass has started this run, if any.

    Attributes:
        adapter: The adapter of the IR.
        ir_context: The IR's own context.
        op: The op that the pipeline runs on.
        pipeline: The compiled pipeline, with adjacent nested pipelines merged.
        outer: The run on another IR whose pass has started this run, if any.
        verifies: Whether the IR is verified after passes.
        options: The options of the run, a `passel.execution.RunOptions`.
        flags: The flags of passel-opt for the checks that are not made by default.
        outcome: The failures, diagnostics and statistics of a finished run.
        concluding: Diagnostics about the whole run.
    """

    op: Any
    pipeline: Pipeline
    options: Any
    flags: tuple[str, ...] = ()

    def __init__(
        self,
        adapter: IRAdapter,
        ir_context: Any,
        reports: Reports,
        outer: Run | None,
    ) -> None:
        self.adapter: IRAdapter = adapter
        self.ir_context: Any = ir_context
        self.reports: Reports = reports
        self.outer: Run | None = outer
        self.verifies: bool = True
        self.outcome: Outcome = UNCHANGED
        self.concluding: list[Diagnostic] = []
        self.key_of: Callable[[Any], Hashable] = adapter.identity_of
        self._ordinals: dict[Hashable, int] = {}

    def conclude(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic about the whole run, after all other diagnostics.

        The notes of the diagnostic become notes of the exception that the run raises.
        """
        self.concluding.append(diagnostic)
        self.outcome += self.reports.tell([diagnostic])

    @property
    def notes(self) -> list[str]:
        """The notes for the exception that a finished run raises."""
        return [note.message for each in self.concluding for note in each.notes]

    def identity_of(self, op: Any) -> OpIdentity:
        """Return the identity of an op: its name, symbol, and place among its siblings."""
        ordinal = self._ordinals.get(self.key_of(op), 0)
        return OpIdentity(self.adapter.kind_of(op).name, self.adapter.symbol_name(op), ordinal)

    def identify(self, op: Any) -> tuple[OpIdentity, ...]:
        """Return the identities of the enclosing ops, outermost first, and of the op.

        The identities are the same in a worker, which has only a copy of the op. The identities and
        the path of a step identify the execution of a pass; see
        `passel.instruments.events.execution_of`.
        """
        return tuple(map(self.identity_of, outwards(self.adapter, op)))[::-1]

    def number(self, siblings: Iterable[Any]) -> None:
        """Assign ordinals to sibling ops, for their identities."""
        self._ordinals.update((self.key_of(op), number) for number, op in enumerate(siblings))


class Reports:
    """Forwards diagnostics and failures during a run.

    Args:
        emit: A function that is called for each diagnostic, or None.
        on_failure: The hook for failures.

    Attributes:
        is_held: Whether reports are buffered for the main process or thread.
        count: The number of diagnostics so far, including buffered ones.
    """

    def __init__(
        self,
        emit: Callable[[Diagnostic], None] | None,
        on_failure: Callable[[Failure], None],
    ) -> None:
        self.is_held: bool = False
        self.count: int = 0
        self._emit = emit
        self._on_failure = on_failure
        self._told: list[Outcome] = []
        self._waiting: Iterator[tuple[Diagnostic | None, Failure | None]] = iter(())
        self._released = 0  # of those that are waiting

    @property
    def renders(self) -> bool:
        """Whether diagnostics need the text of their ops."""
        return self._emit is not None

    def branch(self) -> Reports:
        """Return the reports of a worker, which are buffered."""
        other = Reports(self._emit, self._on_failure)
        other.is_held = True
        return other

    def tell(
        self,
        diagnostics: Iterable[Diagnostic],
        failure: Failure | None = None,
        counts: Counts = NO_COUNTS,
    ) -> Outcome:
        """Report diagnostics and a failure, or buffer them, and return them as an outcome.

        The reports are then plain data. A failure that was reported before adds no diagnostic.
        """
        said = list(diagnostics)
        failures = () if failure is None else (failure,)
        if failure is not None:
            failure.diagnostic.detach(render=self.renders and not failure.is_reported)
            said += [] if failure.is_reported else [failure.diagnostic]
        for each in said:
            each.detach(render=self.renders)
        outcome = Outcome(None if failures else False, failures, tuple(said), counts)
        self._told.append(outcome)
        self.count += len(said)
        for each in said:
            self.report(each)
        self.report(None, failure)
        return outcome

    def take(self, held: Outcome) -> None:
        """Add the buffered reports of a worker, for `catch_up`."""
        failures = {id(failure.diagnostic): failure for failure in held.failures}
        waiting = [(each, failures.pop(id(each), None)) for each in held.diagnostics]
        # Failures that were reported before have no diagnostic.
        self._waiting = iter([*waiting, *((None, failure) for failure in failures.values())])
        self._told.append(held)
        self._released = 0

    def catch_up(self, number: float = inf) -> None:
        """Report the first `number` diagnostics of the part that is being merged.

        An instrumentation that prints calls this method to print between diagnostics. At the end of
        the merge, all diagnostics are reported.
        """
        while self._released < number and (reports := next(self._waiting, None)) is not None:
            self._released += 1
            self.count += reports[0] is not None
            self.report(*reports)

    def so_far(self) -> Outcome:
        """Return the outcome so far of an interrupted run."""
        return sum_of(self._told)

    def report(self, diagnostic: Diagnostic | None, failure: Failure | None = None) -> None:
        """Report or buffer a diagnostic and a failure."""
        if self.is_held:
            return
        if self._emit is not None and diagnostic is not None:
            self._emit(diagnostic)
        if failure is not None:
            self._on_failure(failure)
