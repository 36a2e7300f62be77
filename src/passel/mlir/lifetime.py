"""Detection of erased ops to which Python objects still refer.

Access to an erased op crashes the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.mlir import capi

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.mlir.bindings import Bindings

_ERASED = object()


def watch(bindings: Bindings, op: Any, children: Sequence[Any]) -> NeighbourWatch | None:
    """Return a new watch that detects erasure of the ops immediately inside `op`.

    The result is None if the build does not export the C API. The run then cannot detect that a
    pass erased a sibling of the op that the pass ran on.
    """
    library = capi.load(bindings)
    if library is None:
        return None
    return NeighbourWatch(op, children, library.held.mlirOperationGetNextInBlock)


def place_of(op: Any) -> object:
    """Return whether an op is attached, or `_ERASED` if it was erased through this object.

    An op that was erased through another Python object looks like a live op.
    """
    try:
        return op.operation.attached
    except RuntimeError:
        return _ERASED


class NeighbourWatch:
    """A watch that follows the links between sibling ops, starting at the op of the last pass.

    An op that the watch reaches through links is alive. If a link has changed, the watch checks all
    siblings from the first, which is safe but slower.
    """

    def __init__(
        self, op: Any, children: Sequence[Any], following: Callable[[int], int | None]
    ) -> None:
        self._op = op
        self._children = children
        self._next_of = following
        self._known = self._places()
        self._last = -1  # the child that passes ran on last
        self._taken: set[int] = set()  # the children that their own passes have removed

    def is_in_place(self, number: int) -> bool:
        """Return whether the child with this index is alive and among its siblings."""
        last, self._last = self._last, number
        if last < 0:
            return True  # no pass has run
        if place_of(self._children[last]) is not True:
            self._taken.add(last)
        # The links from the live child `last` still lead to this one.
        elif self._known[last + 1 : number + 1] == [*map(self._next_of, self._known[last:number])]:
            return True
        return self._are_in_order()

    def are_all_in_place(self) -> bool:
        """Return whether passes have removed no child except the one that they ran on."""
        if self._last >= 0 and place_of(self._children[self._last]) is not True:
            self._taken.add(self._last)
        return self._are_in_order()

    def _are_in_order(self) -> bool:
        """Return whether the children are unchanged, except for children that passes removed."""
        known = [each for number, each in enumerate(self._known) if number not in self._taken]
        return self._places() == known

    def _places(self) -> list[int]:
        """Return the addresses of the children, of which only the first in a block is converted."""
        found: list[int] = []
        for block in (block for region in self._op.operation.regions for block in region):
            first = next(iter(block), None)
            place = None if first is None else capi.address(first.operation)
            while place is not None:
                found.append(place)
                place = self._next_of(place)
        return found
