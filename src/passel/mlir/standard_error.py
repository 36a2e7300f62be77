"""The standard error, where MLIR prints reports and some reasons, and LLVM its last words.

It is the whole process's. So MLIR is called by a thread with a table of open files of its own,
whose standard error is a file in memory. That takes Linux, and a system that lets a process do so.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
from functools import cache
from threading import local
from typing import TYPE_CHECKING, Any, TypeVar

from passel.execution.streams import interrupts_held, last_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.mlir.bindings import Caller

T = TypeVar("T")

_CLONE_FILES = 0x400
_PATIENCE = 5
"""Seconds for the last words."""

_elsewhere = local()
"""In threads whose standard error is another one, `number` is that of the process's."""


@cache
def can_be_own() -> bool:
    """Return whether the system lets a thread have a standard error of its own."""
    try:
        return printed_by(lambda call: call(int))[1] == b""
    except (AttributeError, OSError):  # another system, or not allowed
        return False


def printed_by(
    action: Callable[[Caller], T], begin: bytes = b"", *, is_own: bool = True
) -> tuple[T, bytes]:
    """Return the result of an action, and what MLIR has printed in it.

    Args:
        action: Is given a function that calls another one in a thread with a standard error of
            its own. What runs there is over before anything else happens here, Ctrl-C or not.
        begin: How what is wanted begins. What was printed before goes to the process's standard
            error.
        is_own: Whether a thread must have its own. Else, where it cannot, what others print at the
            same time is taken for the action's.

    Raises:
        OSError: The system does not let a thread have one.
    """
    printed: list[bytes] = []

    def work(function: Callable[[], Any]) -> Any:
        if not _take_files() and is_own:
            raise OSError("the files of a thread are those of its process")
        usual = _elsewhere.number = os.dup(2)
        file = os.memfd_create("printed")
        os.dup2(file, 2)
        try:
            return function()
        finally:
            os.dup2(usual, 2)
            printed.append(os.pread(file, os.lseek(file, 0, os.SEEK_END), 0))
            os.close(file)
            os.close(usual)

    def call(function: Callable[[], Any]) -> Any:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - rare

        with interrupts_held(), ThreadPoolExecutor(1) as pool:
            return pool.submit(work, function).result()

    try:
        result = action(call)
    finally:
        text = b"".join(printed)
        place = text.find(begin)
        before, wanted = (text, b"") if place < 0 else (text[:place], text[place:])
        if before:
            os.write(2, before)
    return result, wanted


def _take_files() -> bool:
    """Give the calling thread a table of open files of its own, if the system lets it."""
    return ctypes.CDLL(None).unshare(_CLONE_FILES) == 0


@cache
def end_at_fatal_errors(library: str) -> None:
    """Let fatal errors end the process as they end mlir-opt: by a line and exit code 1.

    Left alone they abort it, and Python adds where it was. Builds that do not export LLVM's C API
    are left alone.

    Source: `llvm::report_fatal_error` and `LLVMInstallFatalErrorHandler`, LLVM 22.
    """
    install = getattr(ctypes.CDLL(library), "LLVMInstallFatalErrorHandler", None)
    if install is not None:
        install(_end)


@ctypes.CFUNCTYPE(None, ctypes.c_char_p)
def _end(reason: bytes) -> None:
    file = getattr(_elsewhere, "number", 2)
    try:
        os.write(file, b"LLVM ERROR: " + reason + b"\n")
        # Words about the IR may wait for a lock that the failing code holds.
        faulthandler.dump_traceback_later(
            _PATIENCE, exit=True, file=os.open(os.devnull, os.O_WRONLY)
        )
        for words in last_words:
            os.write(file, words().encode())
    finally:
        os._exit(1)
