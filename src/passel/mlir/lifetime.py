"""How a run knows that an op of MLIR's is gone, while there are Python objects for it.

What is gone must not be touched: the process would end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_ERASED = object()


class NativeLifetime:
    """Lifetime by what the bindings know of an op, and by the number of its siblings."""

    survives_loss = False

    @staticmethod
    def place_of(op: Any) -> object:
        """Return whether the op is attached; something else if it was erased by this object.

        Erased by another object it cannot be told from one that is there.
        """
        try:
            return op.operation.attached
        except RuntimeError:
            return _ERASED

    def watch(self, op: Any, children: Sequence[Any]) -> _CountingWatch:
        """Begin to watch the ops immediately inside of `op`."""
        return _CountingWatch(op, children)


class _CountingWatch:
    """Counts ops, which costs less than to look at them."""

    def __init__(self, op: Any, children: Sequence[Any]) -> None:
        self._op = op
        self._children = children
        self._left = len(children)
        self._seen = 0

    def is_in_place(self, number: int, place: object) -> bool:
        return number == 0 or self._all_left(number)

    def are_all_in_place(self) -> bool:
        return self._all_left(len(self._children))

    def _all_left(self, end: int) -> bool:
        """Return whether all are there but those that their own passes have taken away.

        Args:
            end: The number of the first child that had no turn yet.
        """
        place_of = NativeLifetime.place_of
        self._left -= sum(place_of(op) is not True for op in self._children[self._seen : end])
        self._seen = end
        blocks = (block for region in self._op.operation.regions for block in region)
        return sum(len(block.operations) for block in blocks) == self._left
