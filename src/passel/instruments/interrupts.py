"""Interrupts by Ctrl-C that come while hooks are called: held back until all have been called."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

_HOOKS = "passel.instruments.hooks"
_RUN = "passel.execution"
_STRATEGIES = "passel.execution.strategies"


class HeldInterrupts:
    """Holds an interrupt back that comes in a hook, or between a hook and what it is about.

    Passes, verifiers and analyses are interrupted at once, and so is a hook the second time.

    Attributes:
        is_pending: Whether one was held back, and is to be raised.
    """

    def __init__(self) -> None:
        self.is_pending: bool = False

    @contextmanager
    def installed(self) -> Generator[None]:
        """Take over the handling of interrupts, if it is left to Python and this thread's."""
        usual = signal.default_int_handler
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not usual
        ):
            yield
            return
        signal.signal(signal.SIGINT, self._take)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)
        self.raise_pending()

    def raise_pending(self) -> None:
        """Raise what was held back.

        Raises:
            KeyboardInterrupt: There was one.
        """
        if self.is_pending:
            self.is_pending = False
            raise KeyboardInterrupt

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.is_pending or not _is_between(frame):
            self.is_pending = False
            signal.default_int_handler(number, frame)
        self.is_pending = True


def _is_between(frame: FrameType | None) -> bool:
    """Return whether a frame is of a hook, or of the run itself."""
    innermost = frame
    while frame is not None:
        module: str = frame.f_globals.get("__name__", "")
        if module == _HOOKS:
            return True
        if module.startswith(_STRATEGIES):
            return False  # it waits for others
        if module.startswith(_RUN):
            return frame is innermost
        frame = frame.f_back
    return False
