"""Progress of worker processes, in memory that they share with their parent.

The parent names the item that a worker died of.
"""

from __future__ import annotations

import struct
from mmap import mmap
from typing import NamedTuple

_PLACE, _STEP = struct.Struct("II"), struct.Struct("Q")
_SIZE = _PLACE.size + _STEP.size

_NO_ITEM = 2**32 - 1

_own: Progress | None = None
"""That of this process, if it is a worker."""


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
        _PLACE.pack_into(self.memory, self.start, number, step)
        _STEP.pack_into(self.memory, self.start + _PLACE.size, 0)

    def get(self) -> tuple[int | None, int]:
        """Return on which item the worker works, and how many results it has for that."""
        number, step = _PLACE.unpack_from(self.memory, self.start)
        return None if number == _NO_ITEM else number, step

    def get_pass(self) -> int:
        """Return the identity, in both processes, of the step whose pass has begun last."""
        return _STEP.unpack_from(self.memory, self.start + _PLACE.size)[0]

    def set_pass(self, step: object) -> None:
        """Note the step whose pass begins."""
        _STEP.pack_into(self.memory, self.start + _PLACE.size, id(step))

    def note_passes(self) -> None:
        """Let this process, which is the worker, note which passes begin."""
        global _own  # noqa: PLW0603 - of the process
        _own = self


def progress_of(count: int) -> list[Progress]:
    """Return the progress of so many workers, none of which works on an item."""
    memory = mmap(-1, _SIZE * count)
    found = [Progress(memory, _SIZE * number) for number in range(count)]
    for each in found:
        each.set(None)
    return found


def own_progress() -> Progress | None:
    """Return the progress of this process; None if it is no worker."""
    return _own
