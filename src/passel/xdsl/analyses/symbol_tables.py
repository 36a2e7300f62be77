"""Cached lookup of symbols."""
# pyright: reportPrivateUsage=false
# xDSL's tables do not tell all that they hold.

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from passel.xdsl.symbols import is_table, table_around
from passel.xdsl.versions import new_symbol_tables

if TYPE_CHECKING:
    from xdsl.dialects.builtin import SymbolRefAttr
    from xdsl.ir import Operation
    from xdsl.utils.symbol_table import SymbolTable, SymbolTableCollection


class SymbolTables:
    """Lookup of symbols by name, in O(1) once a table was read.

    Wraps xDSL's `SymbolTableCollection`, which may also be handed on. Valid while no symbol is
    added, erased or renamed.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> from xdsl.dialects.func import FuncOp
        >>> leaf = FuncOp.external("leaf", [], [])
        >>> tables = SymbolTables(module := ModuleOp([leaf]))
        >>> tables.lookup_in(module, "leaf") is leaf, tables.lookup_in(module, "twig")
        (True, None)

    Source: `mlir::SymbolTableCollection`, MLIR 22, by way of xDSL's.
    """

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.collection: SymbolTableCollection = new_symbol_tables()

    def __eq__(self, other: object) -> bool:
        """Return whether two agree on the tables, among those that are left, that either read."""
        if not isinstance(other, SymbolTables):
            return NotImplemented
        tables = [*self.collection.symbol_tables, *other.collection.symbol_tables]
        return all(
            self.table(table)._symbol_table == other.table(table)._symbol_table
            for table in tables
            if self.op.is_ancestor(table)
        )

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def table(self, op: Operation) -> SymbolTable:
        """Return the table of an op that is one."""
        return self.collection.get_symbol_table(op)

    def lookup_in(self, table: Operation, name: str | SymbolRefAttr) -> Operation | None:
        """Return the symbol of a name, or at the end of a path, in a table."""
        if isinstance(name, str):
            return self.table(table).lookup(name) if is_table(table) else None
        symbol: Operation | None = table
        for part in (name.root_reference, *name.nested_references):
            if symbol is None or not is_table(symbol):
                return None
            symbol = self.table(symbol).lookup(part)
        return symbol

    def lookup(self, user: Operation, name: str | SymbolRefAttr) -> Operation | None:
        """Return the symbol that a name or a reference means in `user`, if it exists.

        It is looked up in the closest table around `user`, as MLIR does; one further out is
        asked only if its own path names it.
        """
        table = table_around(user)
        return None if table is None else self.lookup_in(table, name)
