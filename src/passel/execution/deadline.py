"""A time limit for passes: each may take so long on one op.

A pass in Python is ended wherever it is: in the main thread by an alarm, which also ends what
waits for the system; in other threads between two instructions. Native code that does not return
cannot be ended from inside. A worker process that is in such code, or is stopped, is ended as a
whole.
"""

from __future__ import annotations

import signal
import struct
import time
from contextlib import contextmanager
from functools import partial
from mmap import mmap
from threading import Timer, current_thread, main_thread
from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.execution.strategies.base import at_work
from passel.execution.strategies.stopping import Stoppable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.execution.context import OpContext

_GRACE = 0.5
"""Seconds of computing after the limit in which a worker may still end its pass by itself."""


_PATIENCE = 2.0
"""Seconds after the limit in which a worker may still end its pass, however busy the system is."""

_TIME = struct.Struct("d")

_note_start: Callable[[float], None] | None = None
"""Notes when a pass begins, in a worker; 0 for its end."""


class Watch:
    """The times at which workers have begun the passes that they are in, which their parent sees.

    Args:
        count: How many workers there are.
        seconds: How long a pass may take on one op; None for any time.
    """

    def __init__(self, count: int, seconds: float | None) -> None:
        self._times = mmap(-1, _TIME.size * count)
        self._seconds = seconds

    def note_in_here(self, worker: int) -> None:
        """Let this process, which is that worker, note when passes begin."""
        global _note_start  # noqa: PLW0603 - the process has one deadline at a time
        _note_start = partial(_TIME.pack_into, self._times, _TIME.size * worker)

    def is_late(self, worker: int) -> bool:
        """Return whether a worker has not ended a pass that it should have ended long ago."""
        (start,) = _TIME.unpack_from(self._times, _TIME.size * worker)
        seconds = self._seconds
        return (
            bool(start) and seconds is not None and time.monotonic() > start + seconds + _PATIENCE
        )


class _TooLate(BaseException):
    """Raised in a pass that has taken too long; passes do not catch it with `Exception`."""


class Deadline:
    """Runs passes for a limited time.

    Args:
        seconds: How long a pass may take on one op. What passes that it runs take is not counted
            in the main thread.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def run(self, op: Any, ctx: OpContext) -> None:
        """Run the pass of a context's step on an op.

        Raises:
            PassFailure: It has taken too long.
        """
        late = type("_TooLate", (_TooLate,), {})  # one of its own, as passes run others
        is_main = current_thread() is main_thread()
        watch = self._by_alarm(late) if is_main and _takes_alarms() else self._by_timer(late)
        if _note_start is not None:
            _note_start(time.monotonic())
        try:
            with watch:
                ctx.step.pass_.run(op, ctx)
        except late:
            raise PassFailure(f"it took more than {self._seconds:g} s") from None
        finally:
            if _note_start is not None:  # that of a pass that has run this one goes on
                _note_start(time.monotonic() if ctx.is_dynamic else 0.0)

    @contextmanager
    def _by_alarm(self, late: type[BaseException]) -> Generator[None]:
        """Raise an error in a `with` statement of the main thread when the time is over."""
        is_over = False

        def ring(*_: object) -> None:
            if not is_over:
                raise late

        before = signal.signal(signal.SIGALRM, ring)
        left, _ = signal.setitimer(signal.ITIMER_REAL, self._seconds)
        ends = at_work.get() and signal.getsignal(signal.SIGPROF) == signal.SIG_DFL
        if ends:  # without a handler, that signal ends the process
            signal.setitimer(signal.ITIMER_PROF, self._seconds + _GRACE)
        try:
            yield
        finally:
            is_over = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if ends:
                signal.setitimer(signal.ITIMER_PROF, 0)
            if left:  # that of the enclosing pass
                signal.setitimer(signal.ITIMER_REAL, left)

    @contextmanager
    def _by_timer(self, late: type[BaseException]) -> Generator[None]:
        """Raise an error in a `with` statement of any thread when the time is over."""
        stoppable = Stoppable(late)
        timer = Timer(self._seconds, stoppable.stop)
        timer.daemon = True
        timer.start()
        try:
            with stoppable:
                yield
        finally:
            timer.cancel()


def _takes_alarms() -> bool:
    """Return whether the process's alarm is free."""
    if not hasattr(signal, "SIGALRM"):
        return False
    handler = signal.getsignal(signal.SIGALRM)
    return handler == signal.SIG_DFL or getattr(handler, "__module__", "") == __name__
