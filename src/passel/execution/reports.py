"""The way of diagnostics and failures to those who want to know them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.execution.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure


class Reports:
    """Hands on what is reported while a run goes on.

    Args:
        emit: Called for each diagnostic; None if nobody wants to know.
        on_failure: The hook for failures; None if nobody listens.

    Attributes:
        held: How many buffer what happens inside, to report it later in program order.
    """

    def __init__(
        self,
        emit: Callable[[Diagnostic], None] | None,
        on_failure: Callable[[Failure], None] | None,
    ) -> None:
        self._emit = emit
        self._on_failure = on_failure
        self.held: int = 0

    def __call__(self, diagnostics: Sequence[Diagnostic], failures: Sequence[Failure] = ()) -> None:
        """Report, unless that is held back."""
        if self.held:
            return
        if self._emit is not None:
            for diagnostic in diagnostics:
                self._emit(diagnostic)
        if self._on_failure is not None:
            for failure in failures:
                self._on_failure(failure)

    def detach(self, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return diagnostics as plain data, with their ops as text if anybody will see it."""
        return tuple(each.detach(render=self._emit is not None) for each in diagnostics)

    def fail(self, failure: Failure) -> Outcome:
        """Report a failure and return its outcome."""
        diagnostics = self.detach([failure.diagnostic])
        self(diagnostics, (failure,))
        return Outcome(None, (failure,), diagnostics)
