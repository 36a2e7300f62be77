"""A run as instrumentations see it, and the identities of its ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import outwards
from passel.passes.outcome import UNCHANGED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.hooks.reports import Reports
    from passel.ir import IRAdapter
    from passel.schedule import Pipeline


class OpIdentity(NamedTuple):
    """The identity of an op: its name, and its place among its siblings.

    Attributes:
        name: Its name, such as `func.func`.
        symbol: Its symbol name, if it has one.
        ordinal: Which it is of the ops immediately inside of the enclosing op, counted from 0
            when the nested pipelines on these started.
    """

    name: str
    symbol: str | None = None
    ordinal: int = 0

    @property
    def title(self) -> str:
        """The op as MLIR names it, such as `'func.func' operation: @main`."""
        suffix = "" if self.symbol is None else f": @{self.symbol}"
        return f"'{self.name}' operation{suffix}"


class Run:
    """A run, as an instrumentation that observes it sees it.

    Args:
        adapter: Answers for the IR.
        ir_context: The IR's own context.
        reports: Where diagnostics and failures go.
        outer: The run whose pass this run is a part of, on ops of another IR; else None.
        checks: The flags with which passel-opt checks what this run checks besides.

    Attributes:
        adapter: Answers for the IR.
        ir_context: The IR's own context.
        op: What the pipeline runs on.
        pipeline: The pipeline as it runs, adjacent nested pipelines merged.
        outer: The run whose pass this run is a part of, on ops of another IR; else None.
        verifies: Whether the IR is verified after passes.
        checks: The flags with which passel-opt checks what this run checks besides.
        outcome: How it went, once it is over: failures, statistics.
        concluding: Diagnostics about the whole run.
    """

    op: Any
    pipeline: Pipeline

    def __init__(
        self,
        adapter: IRAdapter,
        ir_context: Any,
        reports: Reports,
        outer: Run | None,
        checks: Sequence[str],
    ) -> None:
        self.adapter: IRAdapter = adapter
        self.ir_context: Any = ir_context
        self.reports: Reports = reports
        self.outer: Run | None = outer
        self.verifies: bool = True
        self.checks: Sequence[str] = checks
        self.outcome: Outcome = UNCHANGED
        self.concluding: list[Diagnostic] = []
        self.key_of: Callable[[Any], Hashable] = adapter.identity_of
        self._ordinals: dict[Hashable, int] = {}

    @property
    def reported(self) -> int:
        """How many diagnostics passes have reported so far, as far as an observer sees the run."""
        return self.reports.count

    def catch_up(self, number: int) -> None:
        """Report the first diagnostics of the part that is being merged, up to that number.

        All of them are reported when it is; an observer that prints calls this to keep its
        place between them.
        """
        self.reports.catch_up(number)

    def conclude(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic about the whole run, after all others.

        Its notes become notes of the exception that the run raises.
        """
        self.concluding.append(diagnostic)
        self.outcome += self.reports.tell([diagnostic])

    @property
    def notes(self) -> list[str]:
        """Notes for the exception that the run raises, once it is over."""
        return [note.message for each in self.concluding for note in each.notes]

    def identity_of(self, op: Any) -> OpIdentity:
        """Return the identity of an op: its name, symbol, and place among its siblings."""
        ordinal = self._ordinals.get(self.key_of(op), 0)
        return OpIdentity(self.adapter.kind_of(op).name, self.adapter.symbol_name(op), ordinal)

    def identify(self, op: Any) -> tuple[OpIdentity, ...]:
        """Return the identities of an op, last, and of its enclosing ops, outermost first.

        The same here as in a worker that has a copy of the op alone. With the path of a step they
        identify the execution of a pass; see `passel.instruments.events.execution_of`.
        """
        return tuple(map(self.identity_of, outwards(self.adapter, op)))[::-1]

    def number(self, siblings: Iterable[Any]) -> None:
        """Number ops among their siblings, for their identities."""
        self._ordinals.update((self.key_of(op), number) for number, op in enumerate(siblings))
