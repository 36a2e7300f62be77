"""Progress of worker processes, in memory that they share with their parent.

The parent names the item that a worker died of, and ends workers whose pass does not go on.
"""

from __future__ import annotations

import struct
import time
from mmap import mmap
from typing import NamedTuple

_PATIENCE = 2.0
"""Seconds after the limit in which a worker may still end its pass, however busy the system is."""

_PLACE, _STEP, _TIME = struct.Struct("II"), struct.Struct("Q"), struct.Struct("d")
_TIME_AT = _PLACE.size + _STEP.size
_SIZE = _TIME_AT + _TIME.size

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

    def set_start(self, seconds: float) -> None:
        """Note when the pass began in which the worker is; 0 for none."""
        _TIME.pack_into(self.memory, self.start + _TIME_AT, seconds)

    def is_late(self, limit: float | None) -> bool:
        """Return whether the worker has not ended a pass that it should have ended long ago."""
        (start,) = _TIME.unpack_from(self.memory, self.start + _TIME_AT)
        return bool(start) and limit is not None and time.monotonic() > start + limit + _PATIENCE

    def note_passes(self) -> None:
        """Let this process, which is the worker, note which passes begin, and when."""
        global _own  # noqa: PLW0603 - of the process, as its alarm is
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


def note_start(*, goes_on: bool = True) -> None:
    """Note, in a worker, that a pass begins or goes on, or that none does."""
    if _own is not None:
        _own.set_start(time.monotonic() if goes_on else 0.0)
