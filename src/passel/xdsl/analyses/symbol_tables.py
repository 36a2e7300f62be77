"""Cached lookup of symbols and symbol uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from passel.xdsl.symbols import enclosing_table, is_table, ops_in, references, symbol_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.dialects.builtin import SymbolRefAttr
    from xdsl.ir import Operation


class SymbolTables:
    """A cache of the symbols in each symbol table, for lookup by name.

    The first lookup in a table walks the ops of the table, and later lookups in the same table take
    O(1). The analysis is valid as long as no symbol is added, erased or renamed.

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
        """Return whether two analyses agree on each cached table that still exists."""
        if not isinstance(other, SymbolTables):
            return NotImplemented
        tables = [table for table in (*self._tables, *other._tables) if self.op.is_ancestor(table)]
        return all(self.symbols(table) == other.symbols(table) for table in tables)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def symbols(self, table: Operation) -> Mapping[str, Operation]:
        """Return a mapping from names to symbols, which is empty if `table` is no symbol table."""
        if table not in self._tables:
            named = ((symbol_name(op), op) for op in ops_in(table)) if is_table(table) else ()
            self._tables[table] = {name: op for name, op in named if name is not None}
        return self._tables[table]

    def lookup_in(self, table: Operation, name: str | SymbolRefAttr) -> Operation | None:
        """Look up a name or a symbol reference in a table; if no symbol is found, return None."""
        if isinstance(name, str):
            return self.symbols(table).get(name)
        found = list(self._path(table, name))
        return found[-1] if len(found) == 1 + len(name.nested_references) else None

    def lookup(self, user: Operation, name: str | SymbolRefAttr) -> Operation | None:
        """Look up a name or a reference that `user` contains; if no symbol is found, return None.

        As in MLIR, only the closest symbol table around `user` is searched.
        """
        table = enclosing_table(user)
        return None if table is None else self.lookup_in(table, name)

    def resolve(self, user: Operation, reference: SymbolRefAttr) -> Iterator[Operation]:
        """Yield the symbol of each component of a reference, until a component has no symbol."""
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
        user: The op whose attributes or properties contain the reference.
        reference: The whole reference. Any of its components may denote the symbol.
    """

    user: Operation
    reference: SymbolRefAttr


@dataclass(init=False, repr=False)
class SymbolUsers:
    """The uses of each symbol inside an op, including references nested in attributes.

    A reference is resolved in the closest enclosing symbol table, and counts as a use of every
    symbol that a component of the reference denotes. Construction takes one walk, and a query takes
    O(1). The analysis is valid as long as no symbol or reference is added, erased or renamed.

    Attributes:
        op: The op that contains the symbols and their uses.
        unresolved: The references with a component that denotes no symbol.

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
        """Return the uses of a symbol, in program order."""
        return tuple(self._uses.get(symbol, ()))

    def users(self, symbol: Operation) -> tuple[Operation, ...]:
        """Return the ops that refer to a symbol, in program order and without duplicates."""
        return tuple(dict.fromkeys(use.user for use in self.uses(symbol)))

    def is_unused(self, symbol: Operation) -> bool:
        """Return whether a symbol has no uses inside the analyzed op."""
        return symbol not in self._uses
