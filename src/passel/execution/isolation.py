"""Isolation of siblings: what pipelines on one op change outside of it is noticed.

Before nested pipelines run on the ops inside of an op, the state of all of these and of the
op's own parts is taken. What differs later, without a pass on the op itself in between, was
changed by a pass on another op.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.execution.fingerprints import PartedFingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.execution.fingerprints import Fingerprinter


class Trespass(NamedTuple):
    """A change from outside.

    Attributes:
        op: What was changed.
        is_around: Whether it is the op around those that were worked on, not one of them.
        suspects: Which siblings were worked on meanwhile, by their numbers.
        is_about_places: Whether ops immediately inside of the op were erased, moved or added.
    """

    op: Any
    is_around: bool
    suspects: range
    is_about_places: bool = False


class SiblingStates:
    """The states of an op's own parts and of the ops immediately inside.

    Args:
        fingerprints: Takes fingerprints.
        op: The op.
        children: The ops immediately inside.
        known: The state of the op, if it is known; the children's are not taken again then.
        is_asked: Whether anybody will ask for what is not known; if not, it is not taken.

    Attributes:
        is_asked: The same.
        good: The states of the children; None for one that is not known.
    """

    def __init__(
        self,
        fingerprints: Fingerprinter,
        op: Any,
        children: Sequence[Any],
        known: object = None,
        *,
        is_asked: bool = True,
    ) -> None:
        self.is_asked = is_asked
        self._fingerprints = fingerprints
        self._renew = fingerprints.renew
        self._op = op
        self._children = children
        self._own = fingerprints.take_own(op)
        if isinstance(known, PartedFingerprint) and known.own == self._own:
            self.good: list[object] = list(known.inside)
        elif is_asked:
            self.good = list(map(fingerprints.take, children))
        else:
            self.good = [None] * len(children)
        self._is_answered_for = False
        # Which child was worked on last when the state of each was taken; -1 for none.
        self._taken: list[int] = [-1] * len(children)
        self._last = -1

    def compare(self, index: int) -> Trespass | None:
        """Return the change from outside of a child since its state was taken, if there is one."""
        taken, last = self._taken[index], self._last
        if taken == last:
            return None  # nothing ran since
        was = self.good[index]
        now = self._renew(self._children[index], was)
        self.good[index], self._taken[index] = now, last
        if now is was:
            return None
        return Trespass(self._children[index], False, range(taken + 1, last + 1))

    def is_as_known(self, index: int) -> bool:
        """Return whether a child has not changed since its state was taken."""
        was = self.good[index]
        return self._renew(self._children[index], was) is was

    def leave(self, index: int, good: object) -> None:
        """End work on a child.

        Args:
            index: The child.
            good: Its state now; None if that is not known.
        """
        self._last = index
        self._taken[index] = index
        if good is None and self.is_asked:
            good = self._fingerprints.take(self._children[index])
        self.good[index] = good

    def accept_around(self) -> None:
        """Take the op's own parts as they are now."""
        self._own = self._fingerprints.take_own(self._op)
        self._is_answered_for = True

    def whole(self) -> PartedFingerprint | None:
        """Return the state of the op, once `compare_all` has found nothing; None if not known."""
        is_known = self.is_asked and not self._is_answered_for
        return PartedFingerprint(self._own, self.good) if is_known else None

    def compare_all(self, gone: Sequence[int] = ()) -> Iterator[Trespass]:
        """Yield all changes from outside that have not been found yet.

        Args:
            gone: Children that must not be touched any more.
        """
        if self._last < 0:
            return
        if self._fingerprints.take_own(self._op) != self._own and not gone:
            yield Trespass(self._op, True, range(self._last + 1))
        for index in range(len(self._children)):
            if index not in gone and (trespass := self.compare(index)):
                yield trespass

    def compare_others(self, worked_on: Any) -> Iterator[Trespass]:
        """Yield all changes from outside, but of the child that is being worked on."""
        own = self._fingerprints.take_own(self._op)
        if own != self._own:
            self._own = own
            yield Trespass(self._op, True, range(0))
        for index, child in enumerate(self._children):
            was = self.good[index]
            if child is not worked_on and (now := self._renew(child, was)) is not was:
                self.good[index] = now
                yield Trespass(child, False, range(0))
