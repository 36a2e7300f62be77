"""Times at which workers have begun passes, for their parent: it ends those that do not go on."""

from __future__ import annotations

import struct
import time
from functools import partial
from mmap import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 2.0
"""Seconds after the limit in which a worker may still end its pass, however busy the system is."""

_TIME = struct.Struct("d")

_note: Callable[[float], None] | None = None
"""Notes in a worker when a pass begins; 0 for its end."""


class Watch:
    """The times at which workers have begun the passes that they are in.

    Args:
        count: How many workers there are.
        seconds: How long a pass may take on one op; None for any time.
    """

    def __init__(self, count: int, seconds: float | None) -> None:
        self._times = mmap(-1, _TIME.size * count)
        self._seconds = seconds

    def note_in_here(self, worker: int) -> None:
        """Let this process, which is that worker, note when passes begin."""
        global _note  # noqa: PLW0603 - of the process, as its alarm is
        _note = partial(_TIME.pack_into, self._times, _TIME.size * worker)

    def is_late(self, worker: int) -> bool:
        """Return whether a worker has not ended a pass that it should have ended long ago."""
        (start,) = _TIME.unpack_from(self._times, _TIME.size * worker)
        if not start or self._seconds is None:
            return False
        return time.monotonic() > start + self._seconds + _PATIENCE


def note_start(*, goes_on: bool = True) -> None:
    """Note, in a worker, that a pass begins or goes on, or that none does."""
    if _note is not None:
        _note(time.monotonic() if goes_on else 0.0)
