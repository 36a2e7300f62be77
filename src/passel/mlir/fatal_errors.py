"""Fatal errors of LLVM's, which end the process of a tool as they end mlir-opt: by one line.

Left alone they abort it, and Python adds where it was.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from threading import local
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings

standard_error = local()
"""In threads whose standard error is another one, `number` is that of the process's."""


@cache
def end_at_fatal_errors(bindings: Bindings) -> None:
    """Let fatal errors end the process with exit code 1, in builds that export LLVM's C API.

    Source: `llvm::report_fatal_error` and `LLVMInstallFatalErrorHandler`, LLVM 22.
    """
    library = ctypes.CDLL(bindings.module("_mlir_libs._mlir").__file__)
    install = getattr(library, "LLVMInstallFatalErrorHandler", None)
    if install is not None:
        install(_handler)


@ctypes.CFUNCTYPE(None, ctypes.c_char_p)
def _handler(reason: bytes) -> None:
    os.write(getattr(standard_error, "number", 2), b"LLVM ERROR: " + reason + b"\n")
    os._exit(1)
