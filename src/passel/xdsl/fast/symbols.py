"""Cached symbol tables for verifiers.

xDSL searches the ops of a symbol table at each lookup, which dominates the time in modules with
many calls.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, ref

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.traits import SymbolOpInterface, SymbolTable

from passel.xdsl.fast.known import is_known_class
from passel.xdsl.symbols import symbol_name

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdsl.ir import Operation


_plain: Final = SymbolTable.lookup_symbol
"""xDSL's own function."""

_is_verifying: Final = ContextVar("is_verifying", default=False)
_tables: Final[WeakKeyDictionary[Operation, dict[str, ref[Operation]] | None]] = WeakKeyDictionary()
"""The symbols of tables; None for a table with ops that may compute their names."""


@contextmanager
def symbols_at_hand(fresh: Operation | None) -> Generator[None]:
    """Cache symbol tables for verifiers inside the `with` block.

    A symbol that a table holds is checked on lookup, and a missing one rebuilds the table. A table
    is therefore right after any change, except that it may hold the second of two symbols of the
    same name.

    Args:
        fresh: An op whose cached table is discarded.
    """
    if fresh is not None:
        _tables.pop(fresh, None)
    token = _is_verifying.set(True)
    try:
        yield
    finally:
        _is_verifying.reset(token)


def remember_symbols(*, remember: bool) -> None:
    """Let `SymbolTable.lookup_symbol` use cached tables, or restore xDSL's own function."""
    owner: Any = SymbolTable
    owner.lookup_symbol = staticmethod(_lookup if remember else _plain)


def _lookup(op: Operation, name: str | StringAttr | SymbolRefAttr) -> Operation | None:
    anchor: Operation | None = op
    while anchor is not None and not anchor.has_trait(SymbolTable):
        anchor = anchor.parent_op()
    if anchor is None or not _is_verifying.get():
        return _plain(op, name)
    path = SymbolRefAttr(name) if isinstance(name, str | StringAttr) else name
    symbol = path.root_reference.data
    found = _known(anchor, symbol)
    if found is None:
        _tables[anchor] = _table(anchor)
        found = _known(anchor, symbol)
    if found is None and _tables[anchor] is None:
        return _plain(op, name)
    if found is None or not path.nested_references:
        return found
    first, *others = path.nested_references.data
    return SymbolTable.lookup_symbol(found, SymbolRefAttr(first, others))


def _known(anchor: Operation, name: str) -> Operation | None:
    """Return the symbol in a table if it still exists and still has that name."""
    entry = (_tables.get(anchor) or {}).get(name)
    found = None if entry is None else entry()
    if found is None or found.parent_op() is not anchor:
        return None
    return found if symbol_name(found) == name else None


def _table(anchor: Operation) -> dict[str, ref[Operation]] | None:
    symbols: dict[str, ref[Operation]] = {}
    for op in anchor.regions[0].block.ops:
        trait = op.get_trait(SymbolOpInterface)
        if trait is not None and not is_known_class(type(trait)):
            return None
        if (name := symbol_name(op)) is not None:
            symbols.setdefault(name, ref(op))
    return symbols
