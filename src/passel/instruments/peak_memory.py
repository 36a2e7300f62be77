"""The highest resident memory of this process while something runs."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Lock, get_ident

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
        self._lock = Lock()

    def open(self) -> None:
        """Begin a piece of work on this thread."""
        with self._lock:
            self._sample()
            self._open.setdefault(get_ident(), []).append(0)

    def close(self) -> int:
        """End the piece of work that this thread has opened last.

        Returns:
            Its peak in bytes, that of the nested pieces included; 0 if it is unknown here.
        """
        with self._lock:
            self._sample()
            stack = self._open[get_ident()]
            peak = stack.pop()
            if stack:
                stack[-1] = max(stack[-1], peak)
            return peak

    def _sample(self) -> None:
        """Let everything open know what was reached since the last sample."""
        peak = _restart()
        for stack in self._open.values():
            if stack:
                stack[-1] = max(stack[-1], peak)


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
