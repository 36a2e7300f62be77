"""The one place where a run tells what passes report, in program order."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from passel.passes.outcome import NO_COUNTS, Outcome, sum_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.passes.outcome import Counts


class Reports:
    """Passes reports on while a run goes on.

    Args:
        emit: Called for each diagnostic; None if there is no listener.
        on_failure: The hook for failures.

    Attributes:
        is_held: Whether reports are held back, to be given to the main process or thread.
        count: How many diagnostics there were so far, also of those held back.
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
        self._waiting: list[tuple[Diagnostic | None, Failure | None]] = []
        self._released = 0

    @property
    def renders(self) -> bool:
        """Whether diagnostics are wanted with their ops as text."""
        return self._emit is not None

    def branch(self) -> Reports:
        """Return one for a worker, all of whose reports are held back."""
        other = Reports(self._emit, self._on_failure)
        other.is_held = True
        return other

    def tell(
        self,
        diagnostics: Iterable[Diagnostic],
        failure: Failure | None = None,
        counts: Counts = NO_COUNTS,
    ) -> Outcome:
        """Report diagnostics and a failure, unless that is held back; return all as an outcome.

        They are plain data then. A failure that was reported before adds no diagnostic.
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

    @contextmanager
    def catching_up(self, outcomes: Sequence[Outcome]) -> Generator[None]:
        """Report all that a worker has held back, by the end of the body."""
        whole = sum_of(outcomes)
        self._told.append(whole)
        self._waiting, self._released = _in_order(whole), 0
        yield
        self.catch_up(len(whole.diagnostics))
        for _, failure in self._waiting:
            self.report(None, failure)
        self._waiting = []

    def catch_up(self, number: int) -> None:
        """Report what the worker has held back, up to so many diagnostics."""
        while self._waiting and self._released < number:
            diagnostic, failure = self._waiting.pop(0)
            self._released += diagnostic is not None
            self.count += diagnostic is not None
            self.report(diagnostic, failure)

    def so_far(self) -> Outcome:
        """Return all that was told until now, of a run that does not come to its end."""
        return sum_of(self._told)

    def report(self, diagnostic: Diagnostic | None, failure: Failure | None = None) -> None:
        """Report a diagnostic and a failure, unless that is held back."""
        if self.is_held:
            return
        if self._emit is not None and diagnostic is not None:
            self._emit(diagnostic)
        if failure is not None:
            self._on_failure(failure)


def _in_order(outcome: Outcome) -> list[tuple[Diagnostic | None, Failure | None]]:
    """Return diagnostics, each with its failure, and failures without any after all."""
    failures = {id(failure.diagnostic): failure for failure in outcome.failures}
    told = [(each, failures.pop(id(each), None)) for each in outcome.diagnostics]
    return [*told, *((None, failure) for failure in failures.values())]
