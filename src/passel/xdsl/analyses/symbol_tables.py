"""Cached lookup of symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from passel.xdsl.symbols import enclosing_table, is_table, ops_in, symbol_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.dialects.builtin import SymbolRefAttr
    from xdsl.ir import Operation


class SymbolTables:
    """Lookup of symbols by name, in O(1) once a table was read.

    Valid while no symbol is added, erased or renamed.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> from xdsl.dialects.func import FuncOp
        >>> leaf = FuncOp.external("leaf", [], [])
        >>> tables = SymbolTables(module := ModuleOp([leaf]))
        >>> tables.lookup_in(module, "leaf") is leaf, tables.lookup_in(module, "twig")
        (True, None)

    Source: `mlir::SymbolTableCollection`, MLIR 22.
    """

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._tables: dict[Operation, Mapping[str, Operation]] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two agree on the tables, among those that are left, that either read."""
        if not isinstance(other, SymbolTables):
            return NotImplemented
        tables = [table for table in (*self._tables, *other._tables) if self.op.is_ancestor(table)]
        return all(self.symbols(table) == other.symbols(table) for table in tables)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def symbols(self, table: Operation) -> Mapping[str, Operation]:
        """Return the symbols of a table by name; an op that is no table has none."""
        if table not in self._tables:
            named = ((symbol_name(op), op) for op in ops_in(table)) if is_table(table) else ()
            self._tables[table] = {name: op for name, op in named if name is not None}
        return self._tables[table]

    def lookup_in(self, table: Operation, name: str | SymbolRefAttr) -> Operation | None:
        """Return the symbol of a name, or at the end of a path, in a table."""
        if isinstance(name, str):
            return self.symbols(table).get(name)
        found = list(self._path(table, name))
        return found[-1] if len(found) == 1 + len(name.nested_references) else None

    def lookup(self, user: Operation, name: str | SymbolRefAttr) -> Operation | None:
        """Return the symbol that a name or a reference means in `user`, if it exists.

        It is looked up in the closest table that encloses `user`, as MLIR does; one further out is
        asked only if its own path names it.
        """
        table = enclosing_table(user)
        return None if table is None else self.lookup_in(table, name)

    def resolve(self, user: Operation, reference: SymbolRefAttr) -> Iterator[Operation]:
        """Yield the symbols along a reference in `user`, as far as they exist."""
        table = enclosing_table(user)
        if table is not None:
            yield from self._path(table, reference)

    def _path(self, table: Operation, reference: SymbolRefAttr) -> Iterator[Operation]:
        for name in (reference.root_reference, *reference.nested_references):
            symbol = self.symbols(table).get(name.data)
            if symbol is None:
                return
            yield symbol
            table = symbol
