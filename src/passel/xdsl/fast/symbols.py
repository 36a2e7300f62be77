"""Cached symbol tables for verifiers.

For each lookup, xDSL searches the ops of a symbol table, so that lookups dominate the verification
time of modules with many calls.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.traits import SymbolOpInterface, SymbolTable

from passel.xdsl.fast.known import is_xdsl_class, may_have
from passel.xdsl.symbols import symbol_name

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdsl.ir import Operation

_plain: Final = SymbolTable.lookup_symbol
"""xDSL's own function."""

_is_verifying: Final = ContextVar("is_verifying", default=False)

_KEPT: Final = "passel.symbols"
"""The name of the field in which an op stores its cached table."""


@contextmanager
def symbols_at_hand(fresh: Operation | None) -> Generator[None]:
    """Let verifiers use cached symbol tables inside the `with` block.

    A lookup rebuilds the cached table if the cached op no longer defines the symbol. Lookups
    therefore stay correct when the IR changes, with one exception: if two ops define the same
    symbol, a lookup may return the second op.

    Args:
        fresh: An op whose cached table is discarded before the block runs. If None, no cached table
            is discarded.
    """
    if fresh is not None:
        vars(fresh).pop(_KEPT, None)
    token = _is_verifying.set(True)
    try:
        yield
    finally:
        _is_verifying.reset(token)


def remember_symbols(*, remember: bool) -> None:
    """Let `SymbolTable.lookup_symbol` use caches; if not `remember`, restore xDSL's function."""
    owner: Any = SymbolTable
    owner.lookup_symbol = staticmethod(_lookup if remember else _plain)


def _lookup(op: Operation, name: str | StringAttr | SymbolRefAttr) -> Operation | None:
    anchor: Operation | None = op
    while anchor is not None and not may_have(type(anchor), SymbolTable):
        anchor = anchor.parent_op()
    if anchor is None or not _is_verifying.get():
        return _plain(op, name)
    path = SymbolRefAttr(name) if isinstance(name, str | StringAttr) else name
    symbol = path.root_reference.data
    found: Operation | None = vars(anchor).get(_KEPT, {}).get(symbol)
    if found is None or found.parent_op() is not anchor or symbol_name(found) != symbol:
        vars(anchor)[_KEPT] = table = _table(anchor)
        found = table.get(symbol)
    if found is None:
        return _plain(op, name)
    if not path.nested_references:
        return found
    first, *others = path.nested_references.data
    return SymbolTable.lookup_symbol(found, SymbolRefAttr(first, others))


def _table(anchor: Operation) -> dict[str, Operation]:
    """Return the symbol table of an op, or an empty table if a symbol may compute its name."""
    table: dict[str, Operation] = {}
    for op in anchor.regions[0].block.ops:
        trait = op.get_trait(SymbolOpInterface)
        if trait is not None and not is_xdsl_class(type(trait)):
            return {}
        if (name := symbol_name(op)) is not None:
            table.setdefault(name, op)
    return table
