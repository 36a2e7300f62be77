"""Detection of sibling ops that are erased or moved during a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class SiblingWatch:
    """A detector of sibling ops that are erased or moved while pipelines run on the siblings.

    Args:
        place_of: A function that returns the place of an op; see `IRAdapter.place_of`.
        children: The sibling ops, in program order.
    """

    def __init__(self, place_of: Callable[[Any], object], children: Sequence[Any]) -> None:
        self._place_of = place_of
        self._children = children

    def is_in_place(self, number: int, place: object) -> bool:
        """Return whether a sibling op is still in its original place.

        The method is called for the siblings in program order.

        Args:
            number: The index of the op among its siblings, counted from 0.
            place: The result of `place_of` for the op, from before the first pipeline ran.
        """
        now = self._place_of(self._children[number])
        return now is place or now == place

    def are_all_in_place(self) -> bool:
        """Return whether all sibling ops are in their original places after all pipelines have run.

        By default, the method returns True, since `is_in_place` has checked each op before its
        pipeline ran, and fingerprints detect later moves.
        """
        return True
