"""Isolation of siblings: what pipelines on one op change outside of it is noticed.

Before nested pipelines run on the ops inside an op, the state of all of these and of the
op's own parts is taken. What differs later, without a pass on the op itself in between, was
changed by a pass on another op.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.execution.fingerprints import PartedFingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.execution.fingerprints import Fingerprinter
    from passel.execution.op_state import OpState


class IsolationViolation(NamedTuple):
    """A change of an op by a pass that ran on another one.

    Attributes:
        op: What was changed.
        is_enclosing: Whether it encloses those that were worked on, rather than being one of them.
        suspects: Which siblings were worked on meanwhile, by their numbers.
        is_about_places: Whether ops immediately inside the op were erased, moved or added.
    """

    op: Any
    is_enclosing: bool
    suspects: range
    is_about_places: bool = False


class SiblingStates:
    """The states of an op's own parts and of the ops immediately inside.

    Args:
        fingerprints: Takes fingerprints.
        op: The op.
        children: The ops immediately inside.
        states: The states of the children, whose fingerprints are taken and kept in there.

    Attributes:
        is_violated: Whether a change was found before the turn of the op that it was made to.
    """

    def __init__(
        self,
        fingerprints: Fingerprinter,
        op: Any,
        children: Sequence[Any],
        states: Sequence[OpState],
    ) -> None:
        self.is_violated: bool = False
        self._fingerprints = fingerprints
        self._renew = fingerprints.renew
        self._op = op
        self._children = children
        self._states = states
        self._is_answered_for = False
        # Which child was worked on last when the state of each was taken; -1 for none.
        self._taken: list[int] = [-1] * len(children)
        self._last = self._last_here = -1
        self._unknown: list[int] = []  # children that others have worked on
        self._is_in_order = True  # threads end work as it comes

    def start(self, known: object) -> None:
        """Take the states.

        Args:
            known: The fingerprint of the op, if it is known; the children's are in there.
        """
        self._own = self._fingerprints.take_own(self._op)
        prints: Iterable[object]
        if isinstance(known, PartedFingerprint) and known.own == self._own:
            prints = known.inside
        else:
            prints = map(self._fingerprints.take, self._children)
        for state, fingerprint in zip(self._states, prints, strict=True):
            state.last_valid = fingerprint

    def enter(self, index: int, *, looks: bool) -> IsolationViolation | None:
        """Begin work on a child, and return the change of it that `compare` finds, if asked to."""
        self._take_unknown()
        return self.compare(index) if looks else None

    def compare(self, index: int) -> IsolationViolation | None:
        """Return the change of a child by passes on others since its state was taken, if any."""
        taken, last = self._taken[index], self._last
        if taken == last or (self._is_in_order and taken >= self._last_here):
            return None  # nothing ran here since
        self._taken[index] = last
        if not self._renews(index):
            return None
        return IsolationViolation(self._children[index], False, self._worked_on(taken + 1))

    def is_as_known(self, index: int) -> bool:
        """Return whether a child has not changed since its state was taken."""
        was = self._states[index].last_valid
        return self._renew(self._children[index], was) is was

    def leave(self, index: int) -> None:
        """End work on a child, whose state holds its fingerprint now, if that is known."""
        self._is_in_order = self._is_in_order and index > self._last
        self._last = self._last_here = self._taken[index] = index
        state = self._states[index]
        if state.last_valid is None:
            state.last_valid = self._fingerprints.take(self._children[index])

    def take_over(self, index: int, *, changed: bool) -> None:
        """End work on a child that was as known, and that another process has worked on."""
        self._last = self._taken[index] = index
        if changed:
            self._states[index].last_valid = None
            self._unknown.append(index)

    def accept_enclosing(self) -> None:
        """Take the op's own parts as they are now."""
        self._own = self._fingerprints.take_own(self._op)
        self._is_answered_for = True

    def whole(self) -> PartedFingerprint | None:
        """Return the state of the op, once `compare_all` has found nothing; None if not known."""
        if self._is_answered_for:
            return None
        self._take_unknown()
        return PartedFingerprint(self._own, [state.last_valid for state in self._states])

    def compare_all(self, gone: Sequence[int] = ()) -> Iterator[IsolationViolation]:
        """Yield all changes by passes on other ops that have not been found yet.

        Args:
            gone: Children that must not be touched any more.
        """
        if self._last < 0:
            return
        if self._fingerprints.take_own(self._op) != self._own and not gone:
            yield IsolationViolation(self._op, True, self._worked_on(0))
        for index in range(len(self._children)):
            if index not in gone and (violation := self.compare(index)):
                yield violation

    def compare_others(self, worked_on: Any) -> Iterator[IsolationViolation]:
        """Yield all changes by passes on other ops, but of the child that is being worked on."""
        own = self._fingerprints.take_own(self._op)
        if own != self._own:
            self._own = own
            yield IsolationViolation(self._op, True, range(0))
        for index, child in enumerate(self._children):
            if child is not worked_on and self._renews(index):
                yield IsolationViolation(child, False, range(0))

    def _worked_on(self, first: int) -> range:
        """Return the children that have been worked on, from one on."""
        if self._is_in_order:
            return range(first, self._last + 1)
        return range(len(self._children))

    def _take_unknown(self) -> None:
        """Take the states of children that others have worked on, before they may change here."""
        for index in self._unknown:
            self._states[index].last_valid = self._fingerprints.take(self._children[index])
        self._unknown.clear()

    def _renews(self, index: int) -> bool:
        """Take the state of a child anew, and return whether it has changed."""
        state = self._states[index]
        was = state.last_valid
        state.last_valid = self._renew(self._children[index], was)
        return state.last_valid is not was
