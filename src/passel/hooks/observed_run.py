"""The run that instrumentations observe, and that identifies ops and reports diagnostics."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import outwards
from passel.passes.outcome import NO_COUNTS, UNCHANGED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.ir import IRAdapter
    from passel.passes.outcome import Counts
    from passel.schedule import Pipeline


class OpIdentity(NamedTuple):
    """The identity of an op: the op's name, symbol, and index among its siblings.

    Attributes:
        name: The name of the op, such as `func.func`.
        symbol: The name of the symbol that the op defines; None if the op defines no symbol.
        ordinal: The index of the op among its siblings, counted from 0. The index is determined
            before pipelines run on the siblings.
    """

    name: str
    symbol: str | None = None
    ordinal: int = 0

    @property
    def title(self) -> str:
        """The description of the op in MLIR's style, such as `'func.func' operation: @main`."""
        suffix = "" if self.symbol is None else f": @{self.symbol}"
        return f"'{self.name}' operation{suffix}"


class ObservedRun:
    """The run that instrumentations observe.

    Args:
        adapter: The adapter of the IR.
        ir_context: The context of the IR, such as `mlir.ir.Context`.
        reports: The object that receives the diagnostics and failures.
        outer: The run, on another IR, in which a pass started this run; None if there is none.

    Attributes:
        adapter: The adapter of the IR.
        ir_context: The context of the IR, such as `mlir.ir.Context`.
        op: The op that the pipeline runs on.
        pipeline: The compiled pipeline, with adjacent nested pipelines merged.
        outer: If a pass of a run on another IR started this run, that run; otherwise None.
        verifies: Whether the IR is verified after passes.
        flags: The passel-opt flags that enable the additional checks of the run.
        outcome: The failures, diagnostics and statistics of the finished run.
        concluding: The diagnostics about the run as a whole.
    """

    op: Any
    pipeline: Pipeline
    flags: tuple[str, ...] = ()

    def __init__(
        self, adapter: IRAdapter, ir_context: Any, reports: Reports, outer: ObservedRun | None
    ) -> None:
        self.adapter: IRAdapter = adapter
        self.ir_context: Any = ir_context
        self.reports: Reports = reports
        self.outer: ObservedRun | None = outer
        self.verifies: bool = True
        self.outcome: Outcome = UNCHANGED
        self.concluding: list[Diagnostic] = []
        self._ordinals: dict[Hashable, int] = {}

    def conclude(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic about the run as a whole, after all other diagnostics.

        If the run raises an exception, the notes of the diagnostic are added to the exception.
        """
        self.concluding.append(diagnostic)
        self.outcome += self.reports.tell(None, [diagnostic])

    @property
    def notes(self) -> list[str]:
        """The messages of the notes of all diagnostics in `concluding`."""
        return [note.message for each in self.concluding for note in each.notes]

    def identity_of(self, op: Any) -> OpIdentity:
        """Return the `OpIdentity` of an op of this run."""
        ordinal = self._ordinals.get(self.adapter.identity_of(op), 0)
        return OpIdentity(self.adapter.kind_of(op).name, self.adapter.symbol_name(op), ordinal)

    def identify(self, op: Any) -> tuple[OpIdentity, ...]:
        """Return the identities of an op and its enclosing ops, from the outermost op inwards.

        In a worker, which has only a copy of the op, the identities are the same as in the main
        process. The path of a step and the ordinals of the ops together identify the execution of a
        pass.
        """
        return tuple(map(self.identity_of, outwards(self.adapter, op)))[::-1]

    def number(self, siblings: Iterable[Any]) -> None:
        """Assign ordinals to sibling ops, for use in the identities of the ops."""
        keys = map(self.adapter.identity_of, siblings)
        self._ordinals.update((key, number) for number, key in enumerate(keys))


class Reports:
    """The receiver of a run's diagnostics.

    A worker's receiver only counts them, because the main process reports them.

    Args:
        emit: The function that is called for each diagnostic; None to discard diagnostics.

    Attributes:
        emit: The argument `emit`. If it is not None, the ops in diagnostics must be printed.
        count: The number of diagnostics so far.
        told: All outcomes so far, which are the outcome of the run if it is interrupted.
    """

    def __init__(self, emit: Callable[[Diagnostic], None] | None) -> None:
        self.emit: Callable[[Diagnostic], None] | None = emit
        self.count: int = 0
        self.told: list[Outcome] = []
        self._waiting: Iterator[Diagnostic] = iter(())
        self._taken_at = 0  # the number of diagnostics before those that are waiting

    def tell(
        self, failure: Failure | None, said: Iterable[Diagnostic] = (), counts: Counts = NO_COUNTS
    ) -> Outcome:
        """Report diagnostics and a failure, and return them as an outcome.

        Afterwards, the diagnostics hold no references to ops. A failure that has already been
        reported adds no diagnostic.

        Args:
            failure: The failure to report; None if there was no failure.
            said: The diagnostics to report before the failure.
            counts: The statistics to include in the outcome.
        """
        diagnostics = list(said)
        failures = () if failure is None else (failure,)
        if failure is not None and failure.is_reported:
            failure.diagnostic.detach(render=False)
        elif failure is not None:
            diagnostics.append(failure.diagnostic)
        for each in diagnostics:
            each.detach(render=self.emit is not None)
        outcome = Outcome(None if failures else False, failures, tuple(diagnostics), counts)
        self.told.append(outcome)
        for each in diagnostics:
            self.report(each)
        return outcome

    def take(self, held: Outcome) -> None:
        """Store the diagnostics of a worker until `catch_up` reports them."""
        self.told.append(held)
        self._waiting, self._taken_at = iter(held.diagnostics), self.count

    def catch_up(self, number: float = inf) -> None:
        """Report the first `number` diagnostics of the worker that is being merged.

        An instrumentation calls this method in `merge` to print text between two diagnostics. At
        the end of the merge, the remaining diagnostics are reported.
        """
        while self.count < self._taken_at + number and (each := next(self._waiting, None)):
            self.report(each)

    def report(self, diagnostic: Diagnostic) -> None:
        """Count a diagnostic, and report it."""
        self.count += 1
        if self.emit is not None:
            self.emit(diagnostic)
