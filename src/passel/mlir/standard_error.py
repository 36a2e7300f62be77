"""Capture of the standard error, where MLIR prints reports and LLVM prints fatal errors.

Threads share the standard error. MLIR is therefore called on a thread with a separate table of open
files, in which the standard error is a file in memory. A separate table needs Linux, and permission
for `unshare`.
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
"""The time limit in seconds for the last words."""

_elsewhere = local()
"""In threads with their own standard error, `number` is the descriptor of the process's."""


@contextmanager
def printing_elsewhere(*, is_own: bool = True) -> Generator[tuple[Caller, Callable[[], bytes]]]:
    """Capture the standard error of MLIR in a `with` block.

    The context manager yields a function that calls MLIR on a thread with a separate standard
    error, and a function that returns the output since its last call. At the end, remaining output
    is printed to the process's standard error. Ctrl-C waits for the end of the block.

    Args:
        is_own: Whether to raise an error if the thread cannot have a separate standard error. If
            false, output of other threads may be captured as well.

    Raises:
        OSError: If the system does not support a separate standard error per thread.
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
    """Redirect the calling thread's standard error to a file, and return the previous one."""
    if not _take_files() and is_own:
        raise OSError("threads share the files of their process")
    usual = _elsewhere.number = os.dup(2)
    os.dup2(file, 2)
    return usual


def _take_files() -> bool:
    """Give the calling thread a separate table of open files; return whether that worked."""
    return ctypes.CDLL(None).unshare(_CLONE_FILES) == 0


@cache
def end_at_fatal_errors(library: str) -> None:
    """Make fatal errors end the process as in mlir-opt, with one line and exit code 1.

    By default they abort, and Python prints a stack dump. Builds that do not export LLVM's C API
    keep the default.

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
