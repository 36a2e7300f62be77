"""Text of ops, as fast as MLIR writes it."""

from __future__ import annotations

import os
from io import FileIO
from typing import Any

FAITHFUL: dict[str, Any] = {
    "binary": True,
    "print_generic_op_form": True,
    "enable_debug_info": True,
    "use_local_scope": True,
}
"""How `get_asm` prints all that makes up an op, where there is no bytecode."""


def printed(operation: Any, **flags: Any) -> str:
    """Return what `get_asm` returns.

    Into Python's streams the bindings write piece by piece, which takes longer than the rest.
    Where the system has files in memory, MLIR writes into one by itself.

    Args:
        operation: The op.
        flags: As for `get_asm`.
    """
    if not hasattr(os, "memfd_create"):
        return str(operation.get_asm(**flags))
    file = os.memfd_create("asm")
    try:
        operation.print(file=f"/proc/self/fd/{file}", **flags)
        return FileIO(file, closefd=False).readall().decode()
    finally:
        os.close(file)
