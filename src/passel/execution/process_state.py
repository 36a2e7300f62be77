"""Process-wide state: streams, texts to print after crashes, and delays of Ctrl-C."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

last_words: list[Callable[[], str]] = []
"""Functions that return text to print to standard error when native code ends the process."""


def flush() -> None:
    """Flush standard output and standard error, but skip closed or missing streams."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()


@contextmanager
def interrupts_held() -> Generator[None]:
    """Delay the handling of Ctrl-C until the end of the `with` block."""
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
