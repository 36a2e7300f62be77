"""Interrupts that come at a chosen moment: before a line or an instruction with a number."""

from __future__ import annotations

import dis
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from types import FrameType, ModuleType


_MARK = dis.opmap.get("NOT_TAKEN", -1)


class Interrupter:
    """Raises `KeyboardInterrupt` before the event with a number in some modules.

    Args:
        number: The number, from 1.
        modules: The modules.
        event: What is counted: every `opcode` or every `line`.
        by_signal: Whether it comes as Ctrl-C does, which may be held back.
    """

    def __init__(
        self, number: int, modules: Iterable[ModuleType], event: str, *, by_signal: bool
    ) -> None:
        self.left: int = number
        self._by_signal = by_signal
        self._files = {module.__file__ for module in modules}
        self._event = event

    @property
    def came(self) -> bool:
        """Whether the interrupt has come."""
        return self.left <= 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        """Trace a call."""
        if frame.f_code.co_filename not in self._files:
            return None
        frame.f_trace_opcodes = self._event == "opcode"
        return self._count

    def _count(self, frame: FrameType, event: str, argument: object) -> Any:
        # Python 3.14 marks branches that it does not take, outside of what `try` protects.
        is_mark = event == "opcode" and frame.f_code.co_code[frame.f_lasti] == _MARK
        if event == self._event and not is_mark:
            self.left -= 1
            if self.left == 0:
                if not self._by_signal:
                    raise KeyboardInterrupt
                signal.raise_signal(signal.SIGINT)
        return self._count


@contextmanager
def interrupted(
    number: int,
    modules: Iterable[ModuleType],
    event: str = "opcode",
    *,
    by_signal: bool = False,
) -> Generator[Interrupter]:
    """Let what runs in a `with` statement be interrupted."""
    interrupter = Interrupter(number, modules, event, by_signal=by_signal)
    before = sys.gettrace()
    sys.settrace(interrupter)
    try:
        yield interrupter
    finally:
        sys.settrace(before)
