"""Cached lookup of symbols, and their uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from passel.xdsl.symbols import enclosing_table, is_table, ops_in, references, symbol_name

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


class SymbolUse(NamedTuple):
    """A reference to a symbol.

    Attributes:
        user: The op whose attributes hold it.
        reference: The whole reference; the symbol may be any part of it.
    """

    user: Operation
    reference: SymbolRefAttr


@dataclass(init=False, repr=False)
class SymbolUsers:
    """The uses of each symbol inside an op, references nested in attributes included.

    A reference is looked up in the closest symbol table that encloses its user, and is a use of
    every symbol on its path. Built in one walk; answers cost O(1). Valid while no symbol and no
    reference is added, erased or renamed.

    Attributes:
        op: The op.
        unresolved: References whose symbol, or part of it, does not exist in the closest table.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
        >>> main, leaf = FuncOp("main", ((), ())), FuncOp.external("leaf", [], [])
        >>> main.body.block.add_ops([CallOp("leaf", [], []), ReturnOp()])
        >>> users = SymbolUsers(ModuleOp([main, leaf]))
        >>> [user.name for user in users.users(leaf)], users.is_unused(main)
        (['func.call'], True)

    Source: `mlir::SymbolUserMap`, MLIR 22.
    """

    op: Operation
    unresolved: tuple[SymbolUse, ...]
    _uses: dict[Operation, list[SymbolUse]]

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._uses = {}
        tables = SymbolTables(op)
        unresolved: list[SymbolUse] = []
        for user in op.walk():
            for reference in references(user):
                use = SymbolUse(user, reference)
                symbols = list(tables.resolve(user, reference))
                for symbol in symbols:
                    self._uses.setdefault(symbol, []).append(use)
                if len(symbols) <= len(reference.nested_references):
                    unresolved.append(use)
        self.unresolved = tuple(unresolved)

    def uses(self, symbol: Operation) -> tuple[SymbolUse, ...]:
        """Return the uses of a symbol, in program order of their users."""
        return tuple(self._uses.get(symbol, ()))

    def users(self, symbol: Operation) -> tuple[Operation, ...]:
        """Return the ops that refer to a symbol, each once, in program order."""
        return tuple(dict.fromkeys(use.user for use in self.uses(symbol)))

    def is_unused(self, symbol: Operation) -> bool:
        """Return whether nothing inside the op refers to a symbol."""
        return symbol not in self._uses
