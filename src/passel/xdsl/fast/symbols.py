"""Cached symbol tables for verifiers.

xDSL searches the ops of a symbol table at each lookup, which dominates the time in modules with
many calls.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, ref

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolOpInterface, SymbolTable

from passel.xdsl.fast.known import is_known_class

if TYPE_CHECKING:
    from collections.abc import Generator


_plain: Final = SymbolTable.lookup_symbol
"""xDSL's own function."""

_is_verifying: Final = ContextVar("is_verifying", default=False)

_Table = dict[str, tuple[ref[Operation], SymbolOpInterface]]
"""The ops of a symbol table by name, with the trait that knows their name."""

_tables: Final[WeakKeyDictionary[Operation, _Table | None]] = WeakKeyDictionary()
"""The cached tables; None for a table with ops that may compute their names."""


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
    while anchor is not None and not _may_be_table(type(anchor)):
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


@cache
def _may_be_table(op_class: type[Operation]) -> bool:
    return op_class.has_trait(SymbolTable)


def _known(anchor: Operation, name: str) -> Operation | None:
    """Return the symbol in a table if it still exists and still has that name."""
    entry = (_tables.get(anchor) or {}).get(name)
    if entry is None:
        return None
    found, trait = entry[0](), entry[1]
    if found is None or found.parent_op() is not anchor:
        return None
    attribute = trait.get_sym_attr_name(found)
    return found if attribute is not None and attribute.data == name else None


def _table(anchor: Operation) -> _Table | None:
    table: _Table = {}
    for op in anchor.regions[0].block.ops:
        trait = op.get_trait(SymbolOpInterface)
        if trait is None:
            continue
        if not is_known_class(type(trait)):
            return None
        if (name := trait.get_sym_attr_name(op)) is not None:
            table.setdefault(name.data, (ref(op), trait))
    return table
