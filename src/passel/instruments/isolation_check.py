"""The isolation check: a pass must not change anything outside of its op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.execution.failure_texts import BESIDE, INSIDE
from passel.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Step

_MOST = 32
"""Ops beside each other that are all looked at before and after each pass."""


class IsolationFailure(PassFailure):
    """Raised for a pass that has changed more than its op."""

    kind = "isolation"


class IsolationCheck(PassInstrumentation):
    """Fails each pass that changes a sibling of its op, or parts of the enclosing ops.

    It takes fingerprints of all of that before each pass and after it. Where many ops are beside
    each other, that would take time quadratic in their number: there the run itself finds changes
    before an op's turn and at the end, and names all passes that may have made them.
    """

    def before_run(self, run: Run) -> None:
        """Start with no pass."""
        self._before: list[Sequence[tuple[Any, bool, object]]] = []
        self._crowded: set[Hashable] = set()

    def before_pass(self, step: Step, op: Any) -> None:
        """Take fingerprints around the op."""
        if isinstance(step, PassStep):
            take = self.run.adapter.fingerprint
            self._before.append(
                [(each, whole, take(each, recursive=whole)) for each, whole in self._around(op)]
            )

    def after_pass(self, step: Step, op: Any) -> None:
        """Compare.

        Raises:
            IsolationFailure: Something around the op has changed.
        """
        if not isinstance(step, PassStep):
            return
        for each, whole, known in self._before.pop():
            if self.run.adapter.fingerprint(each, recursive=whole) != known:
                raise IsolationFailure(BESIDE if whole else INSIDE, op=each)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Forget it."""
        if isinstance(step, PassStep):
            self._before.pop()

    def _around(self, op: Any) -> Iterator[tuple[Any, bool]]:
        """Yield the ops around, each before those inside of it, and which of them count as a whole.

        Those that enclose `op` come first: from their own parts it is seen if an op inside is gone.
        """
        adapter, inner = self.run.adapter, op
        while inner != self.run.op and (outer := adapter.parent(inner)) is not None:
            if (key := adapter.identity_of(outer)) not in self._crowded:
                inside = list(adapter.children(outer))
                if len(inside) > _MOST:
                    self._crowded.add(key)
                else:
                    yield outer, False
                    yield from ((each, True) for each in inside if each != inner)
            inner = outer
