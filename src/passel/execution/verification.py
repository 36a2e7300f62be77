"""Verification after steps, each op's as late as makes no difference.

An IR that verifies outside Python does so with all that is inside of an op. After the last
pass of a nested pipeline its op is verified with the op around, in one call for all siblings.
Nobody can tell: before anything is reported, what was put off is verified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import InvalidIR, LosesOps, ability_of

if TYPE_CHECKING:
    from passel.errors import Failure
    from passel.execution.failures import FailureReporter
    from passel.instruments.hooks import Instrumentor
    from passel.ir import IRAdapter
    from passel.schedule import Step


class _PutOff(NamedTuple):
    """What is put off inside of one op.

    Attributes:
        around: The op.
        size: How many ops there were in it when the first was put off.
        todo: Steps, and the ops to verify after them.
    """

    around: Any
    size: int
    todo: list[tuple[Step, Any]]


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
        self._loses = ability_of(adapter, LosesOps)
        self._put_off: list[_PutOff] = []
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

    def put_off(self, step: Step, op: Any, around: Any) -> None:
        """Verify an op later, with the one immediately around."""
        if not self._put_off or self._put_off[-1].around is not around:
            self._put_off.append(_PutOff(around, self._count(around), []))
        self._put_off[-1].todo.append((step, op))

    @property
    def is_behind(self) -> bool:
        """Whether something is put off."""
        return bool(self._put_off)

    def catch_up(self, around: Any = None) -> list[Failure]:
        """Verify what was put off.

        Args:
            around: The op whose immediate children are verified, all at once; None for all that
                was put off, one by one, because something is to be reported.

        Returns:
            The failures, in program order.
        """
        groups, self._put_off = self._put_off, []
        if around is not None:
            if groups[-1].around is not around:
                self._put_off = groups
                return []
            self._put_off, groups = groups[:-1], groups[-1:]
            try:
                self._adapter.verify(around, recursive=True)
            except InvalidIR:
                pass  # one by one it shows which pass is to blame
            else:
                self._verified = around
                return []
        return [failure for group in groups for failure in self._one_by_one(group)]

    def _one_by_one(self, group: _PutOff) -> list[Failure]:
        if self._count(group.around) < group.size:
            return []  # a pass erased siblings, perhaps these; that is an error of its own
        found = (self.verify(step, op, recursive=True) for step, op in group.todo)
        return [failure for failure in found if failure is not None]

    def _count(self, op: Any) -> int:
        return self._loses.count_children(op) if self._loses is not None else 0
