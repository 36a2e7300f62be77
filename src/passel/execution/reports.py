"""The way of diagnostics and failures to those who want to know them at once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from passel.errors import PassFailure
from passel.execution.outcome import UNCHANGED, Outcome, merge
from passel.passes.preservation import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure


class Record:
    """Reports and counts of a pass: most have none.

    Attributes:
        diagnostics: What it has reported and the run has not handed on yet, in order.
        reported: What was reported before, also by pipelines that the pass has run.
        counts: What was counted, by the pass's path and the statistic's name.
        kept: Analyses that all pipelines preserve which the pass has run.
    """

    __slots__ = ("counts", "diagnostics", "kept", "reported")

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.reported: list[Diagnostic] = []
        self.counts: dict[tuple[str, str], int] = {}
        self.kept: frozenset[type] = EVERYTHING

    def count(self, key: tuple[str, str], amount: int) -> None:
        """Add to a statistic."""
        self.counts[key] = self.counts.get(key, 0) + amount


class Reporting(Protocol):
    """The context of a step, as far as reports need it.

    Attributes:
        record: Reports of the step that are not handed on yet.
        failure: The step's own failure.
    """

    record: Record | None
    failure: Failure | None


class Reports:
    """Hands on what is reported while a run goes on.

    Args:
        emit: Called for each diagnostic; None if there is no listener.
        on_failure: The hook for failures.

    Attributes:
        held: How many buffer what happens inside, to report it later in program order.
        count: How many diagnostics there were so far, reported or held back.
    """

    def __init__(
        self,
        emit: Callable[[Diagnostic], None] | None,
        on_failure: Callable[[Failure], None],
    ) -> None:
        self._emit = emit
        self._on_failure = on_failure
        self.held: int = 0
        self.count: int = 0
        self._behind: Sequence[Diagnostic] = ()
        self._failed: dict[int, Failure] = {}
        self._caught = 0

    @property
    def renders(self) -> bool:
        """Whether diagnostics are wanted with their ops as text."""
        return self._emit is not None

    def branch(self) -> Reports:
        """Return one for another thread, all of whose reports are held back."""
        other = Reports(self._emit, self._on_failure)
        other.held = 1
        return other

    def __call__(self, diagnostics: Sequence[Diagnostic], failures: Sequence[Failure] = ()) -> None:
        """Report, unless that is held back; each failure right after its diagnostic."""
        self.count += len(diagnostics)
        if not self.held:
            unreported = {id(failure.diagnostic): failure for failure in failures}
            self._report(diagnostics, unreported)
            self._fail(unreported.values())

    def _report(self, diagnostics: Sequence[Diagnostic], failures: dict[int, Failure]) -> None:
        for diagnostic in diagnostics:
            if self._emit is not None:
                self._emit(diagnostic)
            if (failure := failures.pop(id(diagnostic), None)) is not None:
                self._fail([failure])

    def _fail(self, failures: Iterable[Failure]) -> None:
        for failure in failures:
            self._on_failure(failure)

    @contextmanager
    def catching_up(self, outcomes: Sequence[Outcome]) -> Generator[None]:
        """Report all that another thread or process has held back, by the end of the body."""
        self._behind = [diagnostic for each in outcomes for diagnostic in each.diagnostics]
        self._failed = {id(each.diagnostic): each for one in outcomes for each in one.failures}
        self._caught = 0
        yield
        self.catch_up(len(self._behind))
        if not self.held:
            self._fail(self._failed.values())

    def catch_up(self, number: int) -> None:
        """Report what it has held back, up to so many diagnostics."""
        behind, self._caught = self._behind[self._caught : number], max(self._caught, number)
        if not self.held:
            self._report(behind, self._failed)

    def detach(self, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return diagnostics as plain data, with their ops as text if there is a listener."""
        return tuple(each.detach(render=self._emit is not None) for each in diagnostics)

    def fail(self, failure: Failure) -> Outcome:
        """Report a failure and return its outcome; one that was reported adds no diagnostic."""
        is_reported = isinstance(failure.cause, PassFailure) and failure.cause.is_reported
        if is_reported:
            failure.diagnostic.detach(render=False)
        diagnostics = () if is_reported else self.detach([failure.diagnostic])
        self(diagnostics, (failure,))
        return Outcome(None, (failure,), diagnostics)

    def fail_step(self, ctx: Reporting, failure: Failure) -> Outcome:
        """Report a step's failure, after what its pass has reported, and return the outcome."""
        ctx.failure = failure
        told = self.close(ctx)
        return merge([told, self.fail(failure)])

    def flush(self, ctx: Reporting) -> None:
        """Report what the pass has told so far."""
        if (record := ctx.record) is not None and record.diagnostics:
            diagnostics = self.detach(record.diagnostics)
            record.diagnostics = []
            record.reported += diagnostics
            self(diagnostics)

    def close(self, ctx: Reporting) -> Outcome:
        """Report what the pass has told, and return it as an outcome that changes nothing."""
        self.flush(ctx)
        record, ctx.record = ctx.record, None
        if record is None:
            return UNCHANGED
        return Outcome(False, (), tuple(record.reported), record.counts, kept=record.kept)
