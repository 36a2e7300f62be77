"""Capture of standard error, where MLIR prints reports and LLVM prints fatal errors.

All threads of a process share standard error. passel therefore calls MLIR on a thread with a
separate table of open files, in which standard error is a file in memory. A separate table requires
Linux and the permission to call `unshare`.
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

from passel.execution.process_state import interrupts_held, last_words

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.mlir.bindings import Caller

_CLONE_FILES = 0x400
_PATIENCE = 5
"""The time limit in seconds for the messages that `last_words` adds to a fatal error."""

_elsewhere = local()
"""A thread's data: after a redirection, `number` is the descriptor of the usual standard error."""


@contextmanager
def printing_elsewhere(*, is_own: bool = True) -> Generator[tuple[Caller, Callable[[], bytes]]]:
    """Capture MLIR's output to standard error in a `with` block.

    The context manager yields two functions. The first function calls MLIR on a thread with a
    separate standard error. The second function returns the output since its previous call. At the
    end of the block, remaining output is printed to the usual standard error. If the user presses
    Ctrl-C inside the block, the interrupt takes effect after the block.

    Args:
        is_own: Whether the thread must have a separate standard error. If false, output of other
            threads may be captured as well.

    Raises:
        OSError: If `is_own` is true and the system does not support a separate standard error.
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
    """Redirect the calling thread's standard error to a file.

    Args:
        file: The descriptor of the file.
        is_own: Whether the thread must have a separate standard error.

    Returns:
        The descriptor of the usual standard error.

    Raises:
        OSError: If `is_own` is true and the system does not support a separate standard error.
    """
    if not _take_files() and is_own:
        raise OSError("this system gives all threads the same standard error")
    usual = _elsewhere.number = os.dup(2)
    os.dup2(file, 2)
    return usual


def _take_files() -> bool:
    """Give the calling thread a separate table of open files, and return whether that worked."""
    return ctypes.CDLL(None).unshare(_CLONE_FILES) == 0


@cache
def end_at_fatal_errors(library: str) -> None:
    """Make a fatal LLVM error end the process as in mlir-opt, with one line and exit code 1.

    By default, a fatal error aborts the process, and Python prints a stack dump. With builds that
    do not export LLVM's C API, a fatal error still aborts the process.

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
        # A message about the IR may wait for a lock that the failing code holds.
        faulthandler.dump_traceback_later(
            _PATIENCE, exit=True, file=os.open(os.devnull, os.O_WRONLY)
        )
        for words in last_words:
            os.write(file, words().encode())
    finally:
        os._exit(1)
