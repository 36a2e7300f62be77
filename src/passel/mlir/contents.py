"""The contents of ops: all that passes on an op may change, and its text."""

from __future__ import annotations

import os
from io import FileIO
from typing import TYPE_CHECKING, Any

from passel.mlir.bindings import bindings_of
from passel.mlir.diagnostics import decoded

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings


def symbol_name(operation: Any) -> str | None:
    """Return the name of the symbol that an op defines; None for no symbol."""
    attributes = operation.attributes
    if "sym_name" not in attributes:
        return None
    name = attributes["sym_name"]
    is_text = isinstance(name, bindings_of(operation).ir.StringAttr)
    return decoded(name.value_bytes) if is_text else None


def replace_contents(bindings: Bindings, old: Any, new: Any) -> None:
    """Give an op the attributes, regions and location of another one.

    The old blocks go into a module that is dropped: the bindings cannot erase a block.
    """
    ir = bindings.ir
    bin_ = ir.Module.create(ir.Location.unknown(old.context))
    for region, source in zip(old.regions, new.regions, strict=True):
        for block in list(region):
            block.append_to(bin_.operation.regions[0])
        for block in list(source):
            block.append_to(region)
    old.location = new.location
    known, wanted = dict(old.attributes), dict(new.attributes)
    for name in known.keys() - wanted.keys():
        del old.attributes[name]
    for name, attribute in wanted.items():
        if name not in known or known[name] != attribute:
            old.attributes[name] = attribute


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
