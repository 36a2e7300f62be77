"""Progress of worker processes, in memory that they share with their parent.

The parent names the item that a worker died of.
"""

from __future__ import annotations

import struct
from mmap import mmap
from typing import NamedTuple

_PLACE = struct.Struct("IIQ")

_NO_ITEM = 2**32 - 1


class Progress(NamedTuple):
    """The progress of one worker.

    Attributes:
        memory: The memory of all workers.
        start: Where that of this worker starts.
    """

    memory: mmap
    start: int

    def set(self, item: int | None, step: int = 0) -> None:
        """Note on which item the worker works, and how many results it has for that."""
        number = _NO_ITEM if item is None else item
        _PLACE.pack_into(self.memory, self.start, number, step, 0)

    def set_pass(self, step: object) -> None:
        """Note the step whose pass begins."""
        item, place, _ = _PLACE.unpack_from(self.memory, self.start)
        _PLACE.pack_into(self.memory, self.start, item, place, id(step))

    def get(self) -> tuple[int | None, int, int]:
        """Return on which item the worker works, and how many results it has for that.

        The third is the identity, in both processes, of the step whose pass has begun last.
        """
        number, step, in_pass = _PLACE.unpack_from(self.memory, self.start)
        return None if number == _NO_ITEM else number, step, in_pass

    def is_own(self) -> None:
        """Take it as the progress of this process, which is the worker."""
        own.clear()
        own.append(self)


own: list[Progress] = []
"""That of this process, if it is a worker."""


def progress_of(count: int) -> list[Progress]:
    """Return the progress of so many workers, none of which works on an item."""
    memory = mmap(-1, _PLACE.size * count)
    found = [Progress(memory, _PLACE.size * number) for number in range(count)]
    for each in found:
        each.set(None)
    return found
