"""Interrupts by Ctrl-C while hooks are called: held back until all have been called."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType


class HeldInterrupts:
    """Holds an interrupt back that comes in a hook, or between a hook and what it is about.

    Passes, verifiers and analyses are interrupted at once, and so is a hook the second time.

    Attributes:
        is_allowed: Whether an interrupt is raised at once.
        is_pending: Whether one was held back, and is to be raised.
    """

    def __init__(self) -> None:
        self.is_allowed: bool = False
        self.is_pending: bool = False

    @contextmanager
    def installed(self) -> Generator[None]:
        """Hold interrupts back, if their handling is left to Python, and this thread gets them."""
        usual = signal.default_int_handler
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not usual
        ):
            with self.held():
                yield
            return
        signal.signal(signal.SIGINT, self._take)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)
        self.raise_pending()

    @contextmanager
    def allowed(self) -> Generator[None]:
        """Enclose code of passes, verifiers and analyses, which is interrupted at once.

        Raises:
            KeyboardInterrupt: There was an interrupt before.
        """
        before, self.is_allowed = self.is_allowed, True
        try:
            self.raise_pending()
            yield
        finally:
            self.is_allowed = before

    @contextmanager
    def held(self) -> Generator[None]:
        """Enclose work of the run on behalf of a pass."""
        before, self.is_allowed = self.is_allowed, False
        try:
            yield
        finally:
            self.is_allowed = before

    def raise_pending(self) -> None:
        """Raise an interrupt that was held back.

        Raises:
            KeyboardInterrupt: There was one.
        """
        if self.is_pending:
            self.is_pending = False
            raise KeyboardInterrupt

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.is_pending or self.is_allowed:
            self.is_pending = False
            signal.default_int_handler(number, frame)
        self.is_pending = True
