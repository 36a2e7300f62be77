"""A check that no pass changes the IR outside its op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.execution.failures import BESIDE, INSIDE
from passel.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from passel.errors import Failure
    from passel.hooks import ObservedRun
    from passel.schedule import Step

_MOST = 32
"""The number of siblings up to which all are checked before and after each pass."""


class IsolationFailure(PassFailure):
    """The failure of a pass that changed the IR outside its op."""

    kind = "isolation"


class IsolationCheck(PassInstrumentation):
    """An instrumentation that makes a pass fail if the pass changes the IR outside its op.

    The check compares fingerprints of sibling and enclosing ops before and after each pass. With
    many siblings, a comparison after each pass would take quadratic time. The fingerprint of an op
    with many siblings is therefore compared only twice: before passes run on the op, and after
    passes have run on all siblings. The failure then names all passes that may have changed the op.
    """

    finds_violations = True
    flag = "--check-isolation"

    def before_run(self, run: ObservedRun) -> None:
        """Clear the fingerprints of the previous run."""
        self._before: list[Sequence[tuple[Any, bool, object]]] = []
        self._crowded: set[Hashable] = set()

    def before_pass(self, step: Step, op: Any) -> None:
        """Compute the fingerprints of the sibling and enclosing ops before the pass."""
        if isinstance(step, PassStep):
            take = self.run.adapter.fingerprint
            self._before.append(
                [(each, whole, take(each, recursive=whole)) for each, whole in self._around(op)]
            )

    def after_pass(self, step: Step, op: Any) -> None:
        """Compare the fingerprints of the sibling and enclosing ops after the pass.

        Raises:
            IsolationFailure: If the pass changed a sibling or enclosing op.
        """
        if not isinstance(step, PassStep):
            return
        for each, whole, known in self._before.pop():
            if self.run.adapter.fingerprint(each, recursive=whole) != known:
                raise IsolationFailure(BESIDE if whole else INSIDE, op=each)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Drop the fingerprints from before the failed pass, without comparing them."""
        if isinstance(step, PassStep):
            self._before.pop()

    def _around(self, op: Any) -> Iterator[tuple[Any, bool]]:
        """Yield siblings and enclosing ops, each with whether its nested ops are compared too.

        An enclosing op comes before its children: its own fingerprint shows if one is missing.
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
