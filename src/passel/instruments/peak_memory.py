"""The highest resident memory of this process while something runs."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Lock, get_ident
from weakref import WeakSet

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


class PeakMemory:
    """A meter of peak memory for nested pieces of work, each of which is opened and closed.

    Memory belongs to the process: with several threads, what one allocates counts for what
    runs in the others at that moment. Where the kernel cannot reset its high-water mark
    (it can on Linux), peaks never fall: each is the highest of the process so far.
    """

    def __init__(self) -> None:
        self._open: dict[int, list[int]] = {}
        with _lock:
            _meters.add(self)

    def open(self) -> None:
        """Begin a piece of work on this thread."""
        with _lock:
            _sample()
            self._open.setdefault(get_ident(), []).append(0)

    def close(self, elsewhere: int = 0) -> int:
        """End the piece of work that this thread has opened last.

        Args:
            elsewhere: The peak of pieces nested in it that other meters have measured.

        Returns:
            Its peak in bytes, that of the nested pieces included; 0 if it is unknown here.
        """
        with _lock:
            _sample()
            stack = self._open[get_ident()]
            peak = max(stack.pop(), elsewhere)
            if stack:
                stack[-1] = max(stack[-1], peak)
            return peak

    def reach(self, peak: int) -> None:
        """Let everything open know what was reached."""
        for stack in self._open.values():
            if stack:
                stack[-1] = max(stack[-1], peak)


_lock = Lock()

_meters: WeakSet[PeakMemory] = WeakSet()
"""The meters of this process, which share the kernel's mark."""


def _sample() -> None:
    """Let all meters know what was reached since the last sample."""
    peak = _restart()
    for meter in _meters:
        meter.reach(peak)


def _restart() -> int:
    """Return the high-water mark in bytes, and reset it to what is resident now."""
    try:
        status = _STATUS.read_bytes()
        _CLEAR.write_text(_RESET_PEAK)
    except OSError:
        return _highest_ever()
    _, found, rest = status.partition(b"VmHWM:")
    return int(rest.split(maxsplit=1)[0]) * 1024 if found else 0


def _highest_ever() -> int:
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return 0
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return highest if sys.platform == "darwin" else highest * 1024
