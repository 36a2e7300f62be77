"""The contents of ops: all that passes on an op may change."""

from __future__ import annotations

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
