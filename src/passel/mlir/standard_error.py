"""Capture of standard error, where MLIR prints reports and LLVM prints fatal errors."""

from __future__ import annotations

import ctypes
import faulthandler
import os
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from tempfile import TemporaryFile
from threading import RLock
from typing import TYPE_CHECKING

from passel.execution.process_state import last_words

if TYPE_CHECKING:
    from collections.abc import Generator

_PATIENCE = 5
"""The time limit in seconds for the messages that `last_words` adds to a fatal error."""

_lock = RLock()
"""The lock that a thread holds while it captures standard error."""

_usual = [2]
"""The descriptor of the usual standard error, which is the last element."""


@contextmanager
def captured() -> Generator[BytesIO]:
    """Capture standard error in a `with` block.

    The context manager yields a stream, which contains the captured output once the block has
    ended. The output of other threads is captured too, because all threads share standard error.
    """
    output = BytesIO()
    with _lock, TemporaryFile() as file:
        _usual.append(os.dup(2))
        os.dup2(file.fileno(), 2)
        try:
            yield output
        finally:
            os.dup2(_usual[-1], 2)
            os.close(_usual.pop())
            file.seek(0)
            output.write(file.read())


@cache
def end_at_fatal_errors(library: str) -> None:
    """Make a fatal LLVM error end the process with one line and exit code 1, as in mlir-opt.

    By default, a fatal error aborts the process, and Python prints a stack dump. With builds that
    do not export LLVM's C API, a fatal error still aborts the process.

    Source: `llvm::report_fatal_error` and `LLVMInstallFatalErrorHandler`, LLVM 22.
    """
    install = getattr(ctypes.CDLL(library), "LLVMInstallFatalErrorHandler", None)
    if install is not None:
        install(_end)


@ctypes.CFUNCTYPE(None, ctypes.c_char_p)
def _end(reason: bytes) -> None:
    try:
        os.write(_usual[-1], b"LLVM ERROR: " + reason + b"\n")
        # A message about the IR may wait for a lock that the failing code holds.
        faulthandler.dump_traceback_later(
            _PATIENCE, exit=True, file=os.open(os.devnull, os.O_WRONLY)
        )
        for words in last_words:
            os.write(_usual[-1], words().encode())
    finally:
        os._exit(1)
