"""Symbol names of ops, and printing of ops."""

from __future__ import annotations

import os
from functools import cache
from io import FileIO
from typing import TYPE_CHECKING, Any

from passel.mlir.bindings import bindings_of
from passel.mlir.diagnostics import decoded

if TYPE_CHECKING:
    from passel.ir import PrintFlags


def symbol_name(operation: Any) -> str | None:
    """Return the name of the symbol that an op defines, or None if the op defines no symbol."""
    attributes = operation.attributes
    if "sym_name" not in attributes:
        return None
    name = attributes["sym_name"]
    is_text = isinstance(name, bindings_of(operation).ir.StringAttr)
    return decoded(name.value_bytes) if is_text else None


FAITHFUL: dict[str, Any] = {
    "binary": True,
    "print_generic_op_form": True,
    "enable_debug_info": True,
    "use_local_scope": True,
}
"""The arguments of `get_asm` that print an op completely, for ops without bytecode."""


_KEYWORDS = {
    "generic": "print_generic_op_form",
    "debuginfo": "enable_debug_info",
    "local_scope": "use_local_scope",
    "elide_elements": "large_elements_limit",
    "elide_resources": "large_resource_limit",
    "skip_regions": "skip_regions",
    "pretty_locations": "pretty_debug_info",
    "name_locations": "use_name_loc_as_prefix",
    "assume_verified": "assume_verified",
}
"""The arguments of `get_asm` that correspond to the fields of `PrintFlags`."""


@cache
def _keywords(flags: PrintFlags) -> dict[str, Any]:
    return {
        _KEYWORDS[field]: value
        for field, value in flags._asdict().items()
        if value is not None and value is not False  # builds may lack the others
    }


def printed(operation: Any, flags: PrintFlags) -> bytes:
    """Return the text of an op in UTF-8.

    Printing to a Python stream is slow, because the bindings write many small pieces. If the system
    supports files in memory, MLIR prints to such a file instead, which is faster.
    """
    keywords = _keywords(flags)
    if not hasattr(os, "memfd_create"):
        return str(operation.get_asm(**keywords)).encode()
    file = os.memfd_create("asm")
    try:
        operation.print(file=f"/proc/self/fd/{file}", **keywords)
        return FileIO(file, closefd=False).readall()
    finally:
        os.close(file)
