"""The standard error, where MLIR prints reports and some reasons, and LLVM its last words.

It is the whole process's. So MLIR is called by a thread with a table of open files of its own,
whose standard error is a file in memory. That takes Linux, and a system that lets a process do so.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
from contextlib import contextmanager
from functools import cache, partial
from io import FileIO
from threading import local
from typing import TYPE_CHECKING, Any

from passel.execution.streams import interrupts_held, last_words

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.mlir.bindings import Caller

_CLONE_FILES = 0x400
_PATIENCE = 5
"""Seconds for the last words."""

_elsewhere = local()
"""In threads whose standard error is another one, `number` is that of the process's."""


@contextmanager
def printing_elsewhere(*, is_own: bool = True) -> Generator[tuple[Caller, Callable[[], bytes]]]:
    """Let MLIR print into memory for a while.

    Yields a function that calls another one in a thread with a standard error of its own, and one
    that returns what has been printed there since it was asked last. What is left at the end goes
    to the process's standard error. Ctrl-C waits for the end.

    Args:
        is_own: Whether the thread must have its own. Else, where it cannot, what others print
            meanwhile is taken for MLIR's.

    Raises:
        OSError: The system does not let a thread have one.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - rare

    known = 0

    def call(function: Callable[[], Any]) -> Any:
        return pool.submit(function).result()

    def read() -> bytes:
        nonlocal known
        text = os.pread(file.fileno(), os.fstat(file.fileno()).st_size - known, known)
        known += len(text)
        return text

    with (
        interrupts_held(),
        ThreadPoolExecutor(1) as pool,
        FileIO(os.memfd_create("printed")) as file,
    ):
        usual: int = call(partial(_redirect, file.fileno(), is_own=is_own))
        try:
            yield call, read
        finally:
            call(partial(os.dup2, usual, 2))
            call(partial(os.close, usual))
            os.write(2, read())


def _redirect(file: int, *, is_own: bool) -> int:
    """Make a file the calling thread's standard error, and return what that was."""
    if not _take_files() and is_own:
        raise OSError("the files of a thread are those of its process")
    usual = _elsewhere.number = os.dup(2)
    os.dup2(file, 2)
    return usual


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
