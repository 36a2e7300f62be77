"""Verification after steps, each op's as late as makes no difference.

An IR that verifies outside Python does so with all that is inside of an op. After the last
pass of a nested pipeline its op is verified with the op around, in one call for all siblings.
Nobody can tell: before anything is reported, what was put off is verified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.ir import InvalidIR

if TYPE_CHECKING:
    from passel.errors import Failure
    from passel.execution.failures import FailureReporter
    from passel.instrumentation import Instrumentor
    from passel.ir import IRAdapter
    from passel.schedule import Step


class Verifier:
    """Verifies for a run.

    Args:
        adapter: Verifies.
        hooks: The hooks of the run.
        report: Makes failures.
    """

    def __init__(self, adapter: IRAdapter, hooks: Instrumentor, report: FailureReporter) -> None:
        self._adapter = adapter
        self._hooks = hooks
        self._report = report
        self._put_off: list[tuple[Step, Any]] = []
        self._verified: Any = None

    def verify(self, step: Step, op: Any, *, recursive: bool) -> Failure | None:
        """Verify an op after a step, unless it was just verified with what is inside."""
        if self._verified is not None:
            verified, self._verified = self._verified, None
            if verified is op:
                return None
        for hook in self._hooks.before_verification:
            hook(step, op)
        try:
            self._adapter.verify(op, recursive=recursive)
        except InvalidIR as error:
            return self._report.invalid(step, op, error)
        finally:
            for hook in self._hooks.after_verification:
                hook(step, op)
        return None

    def put_off(self, step: Step, op: Any) -> None:
        """Verify an op later, with the one around."""
        self._put_off.append((step, op))

    @property
    def is_behind(self) -> bool:
        """Whether something is put off."""
        return bool(self._put_off)

    def catch_up(self, around: Any = None) -> list[Failure]:
        """Verify what was put off.

        Args:
            around: The op around all of it, to verify them all at once; None if something was
                reported since.

        Returns:
            The failures, in program order.
        """
        todo, self._put_off = self._put_off, []
        if todo and around is not None:
            try:
                self._adapter.verify(around, recursive=True)
            except InvalidIR:
                pass  # one by one it shows which pass is to blame
            else:
                self._verified = around
                return []
        found = (self.verify(step, op, recursive=True) for step, op in todo)
        return [failure for failure in found if failure is not None]
