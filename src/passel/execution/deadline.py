"""A time limit for passes: each may take so long on one op.

A pass in Python is ended wherever it is: in the main thread by an alarm, which also ends what
waits for the system; in other threads between two instructions. Native code that does not return
cannot be ended from inside. A worker process that is in such code, or is stopped, is ended as a
whole.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from threading import Timer, current_thread, main_thread
from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.execution.strategies.placement import at_work
from passel.execution.strategies.stopping import Stoppable
from passel.execution.strategies.watch import note_start

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.execution.context import OpContext

_GRACE = 0.5
"""Seconds of computing after the limit in which a worker may still end its pass by itself."""


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
        note_start()
        try:
            with watch:
                ctx.step.pass_.run(op, ctx)
        except late:
            raise PassFailure(f"it took more than {self._seconds:g} s") from None
        finally:
            note_start(goes_on=ctx.is_dynamic)  # that of the pass which has run this one

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
