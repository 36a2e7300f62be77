"""Holding each pass to its op: what is around it must be as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import PassFailure
from passel.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Step


class _State(NamedTuple):
    """The state of an op that encloses the one that a pass runs on.

    Attributes:
        op: The op.
        own: The fingerprint of its own parts.
        beside: The ops inside of it that do not enclose the pass's op, with their fingerprints.
    """

    op: Any
    own: object
    beside: Sequence[tuple[Any, object]]


class IsolationFailure(PassFailure):
    """Raised for a pass that has changed more than its op."""

    kind = "isolation"


class IsolationCheck(PassInstrumentation):
    """Fails each pass that changes ops beside its own, or parts of the ops around.

    It takes fingerprints of all of that before each pass, which is slow: it is for finding a pass
    of which it is known that something outside of an op has changed.
    """

    def before_run(self, run: Run) -> None:
        """Start with no pass."""
        self._before: list[Sequence[_State]] = []

    def before_pass(self, step: Step, op: Any) -> None:
        """Look at what is around the op."""
        if isinstance(step, PassStep):
            self._before.append(list(self._around(op)))

    def after_pass(self, step: Step, op: Any) -> None:
        """Compare.

        Raises:
            IsolationFailure: It is not what it was.
        """
        if not isinstance(step, PassStep):
            return
        take = self.run.adapter.fingerprint
        for state in self._before.pop():
            name = self.run.adapter.kind_of(state.op).name
            if take(state.op, recursive=False) != state.own:  # an op inside may be gone
                message = (
                    f"'{name}' op was changed by a pass on an op inside of it, which may only "
                    "change the op that it runs on"
                )
                raise IsolationFailure(message, op=state.op)
            for beside, known in state.beside:
                if take(beside) != known:
                    name = self.run.adapter.kind_of(beside).name
                    message = (
                        f"'{name}' op was changed by a pass on an op beside it, which only a "
                        "pass on their enclosing op may do"
                    )
                    raise IsolationFailure(message, op=beside)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Forget it."""
        if isinstance(step, PassStep):
            self._before.pop()

    def _around(self, op: Any) -> Iterator[_State]:
        adapter, inner = self.run.adapter, op
        while inner != self.run.op and (outer := adapter.parent(inner)) is not None:
            beside = [(e, adapter.fingerprint(e)) for e in adapter.children(outer) if e != inner]
            yield _State(outer, adapter.fingerprint(outer, recursive=False), beside)
            inner = outer
