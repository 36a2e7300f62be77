"""Ending what another thread does, by an exception that is raised in it; Ctrl-C while one waits."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, current_thread, get_ident, main_thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator
    from concurrent.futures import Future
    from types import TracebackType

_T = TypeVar("_T")

_PERIOD = 0.1
"""Seconds after which an interrupt is seen that came right before a wait."""

_LEAST_PERIOD, _LONGEST_PERIOD = 0.0005, 0.02
"""Seconds between two looks at a child: the first, and those after a while."""


class Stopped(BaseException):
    """Raised in a thread whose work was ended; never leaves passel."""


class Stoppable:
    """Work of a thread, around a `with` statement, that others can end.

    Python code ends within milliseconds. Code of an extension module that does not return ends
    when it does. The `with` statement may raise `Stopped` too.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread = 0
        self._is_stopped = False

    def stop(self) -> None:
        """End the work if it goes on; called from another thread."""
        with self._lock:
            if self._thread and not self._is_stopped:
                self._is_stopped = True
                _raise_in(self._thread, Stopped)

    def __enter__(self) -> None:
        self._is_stopped = False
        self._thread = get_ident()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        late: BaseException | None = None
        try:
            self._leave()
        except Stopped as stopped:  # in there
            late = stopped
            self._leave()
        if late is not None and error is None:
            raise late

    def _leave(self) -> None:
        """Keep this thread's work from being ended, and forget what was not raised yet."""
        with self._lock:
            thread, self._thread = self._thread, 0
        if self._is_stopped and thread:
            self._forget(thread)

    def _forget(self, thread: int) -> None:
        """Let what was not raised yet in this thread be raised here.

        Python can take it back, but 3.11 then looks for it forever, and traced calls never begin.
        """
        with suppress(Stopped):
            is_raised_soon = _raise_in(thread, Stopped)  # in place of what was not
            while is_raised_soon:
                pass


@contextmanager
def interrupts_held() -> Generator[None]:
    """Hold Ctrl-C back for a moment in which what it raises would do harm."""
    usual = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(usual):
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            signal.raise_signal(signal.SIGINT)


def result_of(future: Future[_T]) -> _T:
    """Wait for a future, and return its result or raise its error; Ctrl-C ends that.

    Python does not see an interrupt that comes between its last look and a wait without an end.
    """
    while True:
        try:
            return future.result(_PERIOD)
        except TimeoutError:
            if future.done():  # what it waits for may raise the same
                return future.result()


def status_of(process: int) -> int | None:
    """Wait for the end of a child, a wait that Ctrl-C ends as well.

    Returns:
        Its status; None if this process ignores SIGCHLD, or other code has waited for it.
    """
    period = _LEAST_PERIOD
    with suppress(ChildProcessError, ProcessLookupError):
        while True:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                return status
            time.sleep(period)
            period = min(1.2 * period, _LONGEST_PERIOD)
    return None


def end(process: int) -> None:
    """End a process, and before it those that it has started, where the system names them."""
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                end(child)
    with suppress(OSError):  # it has ended, or may not be killed
        os.kill(process, signal.SIGKILL)


def _raise_in(thread: int, error: type[BaseException]) -> bool:
    """Raise an error in a thread soon, and return whether this Python can."""
    ask = getattr(ctypes.pythonapi, "PyThreadState_SetAsyncExc", None)
    if ask is None:
        return False  # the work ends when it ends
    return bool(ask(ctypes.c_ulong(thread), ctypes.py_object(error)))
