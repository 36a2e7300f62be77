"""Dialects: that passes make no ops of dialects that are not loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passel.errors import Failure
    from passel.execution.failures import Failures
    from passel.ir import FindsDialects
    from passel.schedule import Step


class DialectCheck:
    """Holds passes to their `dependent_dialects`, on IRs that do not do so themselves.

    Args:
        failures: Makes failures.
        finder: The adapter's ability to find them.
        context: The IR's own context.
    """

    def __init__(self, failures: Failures, finder: FindsDialects, context: Any) -> None:
        self._failures = failures
        self._finder = finder
        self._context = context
        self._known: set[str] = set()

    def start(self, op: Any) -> None:
        """Take the dialects of the input as known."""
        self._known = set(self._finder.dialects_in(op))

    def check(self, step: Step, op: Any) -> Failure | None:
        """Return the failure of a pass that made an op of a dialect that is not loaded."""
        known = self._known | set(self._finder.loaded_dialects(self._context))
        found = self._finder.dialects_in(op)
        new = [dialect for dialect in found if dialect not in known]
        self._known.update(new)
        if not new or not self._finder.declares_dialects(step.pass_):
            return None
        return self._failures.undeclared(step, op, found[new[0]], new[0])
