"""A pass that does to its process, or to what it sends, all that a pass should not do."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from sibling_passes import is_elsewhere
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition

from passel import Pass, PassContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class Locked(Exception):  # noqa: N818 - it is not an error
    """Cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("it holds a lock")
        self.lock = threading.Lock()


class Fatal(Exception):  # noqa: N818 - it is not an error
    """Ends the process that pickles it, unless that is the process of the tests."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Do it."""
        if is_elsewhere():
            os._exit(7)
        return Fatal, ()


class Exiting(Exception):  # noqa: N818 - as above
    """Raises something else when it is pickled."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Do it."""
        raise SystemExit(9)


@irdl_attr_definition
class HeldAttr(Data[Any]):
    """An attribute that cannot be pickled, as it holds a function of a function."""

    name = "test.held"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        """Refuse: none is ever written."""
        raise NotImplementedError

    def print_parameter(self, printer: Printer) -> None:
        """Print that there is something."""
        printer.print_string("<held>")


def _raise(error: BaseException) -> None:
    raise error


def _recurse(depth: int = 0) -> int:
    return _recurse(depth + 1) + 1


def _hold(op: Any) -> None:
    op.attributes["held"] = HeldAttr(lambda: None)


def _segfault() -> None:
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.string_at(0)


def _kill(number: int) -> None:
    os.kill(os.getpid(), number)


def _leave_child() -> None:
    if not os.fork():
        time.sleep(1)
        os._exit(0)


def _delete_directory() -> None:
    os.chdir(tempfile.mkdtemp())
    os.rmdir(os.getcwd())  # noqa: PTH106, PTH109 - as a pass would


def _fill_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def _close(stream: IO[str]) -> None:
    with suppress(OSError, ValueError):  # it may be closed already
        os.close(stream.fileno())
    stream.close()


DEADLY: dict[str, tuple[Callable[[], object], str]] = {
    "exit": (lambda: os._exit(3), "ended with exit code 3"),
    "exit quietly": (lambda: os._exit(0), "ended with exit code 0"),
    "segfault": (_segfault, "was killed by SIGSEGV"),
    "kill -9": (lambda: _kill(signal.SIGKILL), "was killed by SIGKILL"),
    "terminate": (lambda: _kill(signal.SIGTERM), "was killed by SIGTERM"),
    "nameless signal": (lambda: _kill(signal.SIGRTMIN + 6), "was killed by signal 40"),
}
"""What ends a process, and how that is reported."""

RAISED: dict[str, Callable[[], object]] = {
    "memory": lambda: _raise(MemoryError()),
    "recursion": _recurse,
    "not to be pickled": lambda: _raise(Locked()),
    "fatal to be pickled": lambda: _raise(Fatal()),
    "exits when it is pickled": lambda: _raise(Exiting()),
    "sys.exit": lambda: sys.exit(4),
    "interrupt": lambda: _raise(KeyboardInterrupt()),
}
"""What fails alike in any process."""

SURVIVED: dict[str, Callable[[], object]] = {
    "child that stays": _leave_child,
    "deleted directory": _delete_directory,
    "full disk": _fill_disk,
    "closed pipes and files": lambda: os.closerange(3, 256),
    "closed stdin": lambda: _close(sys.stdin),
    "closed descriptors": lambda: os.closerange(0, 3),
}
"""What harms a process, but no op."""


class Mark(Pass[Any]):
    """Count how often it ran on an op, on the op."""

    name = "mark"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        marks = op.attributes.get("marks", IntAttr(0))
        op.attributes["marks"] = IntAttr(marks.data + 1)
        ctx.emit_remark("marked")


class Faulty(Pass[Any]):
    """Do something bad on some ops; what ends or harms a process only in another one."""

    name = "faulty"
    how: str = ""
    on: tuple[str, ...] = ("f2", "g1")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        if op.sym_name.data not in self.on:
            return
        if self.how == "held attribute":
            _hold(op)
        elif self.how in RAISED:
            RAISED[self.how]()
        elif is_elsewhere():
            (SURVIVED.get(self.how) or DEADLY[self.how][0])()
