"""Uses of symbols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from passel.xdsl.analyses.symbol_tables import SymbolTables
from passel.xdsl.symbols import references

if TYPE_CHECKING:
    from xdsl.dialects.builtin import SymbolRefAttr
    from xdsl.ir import Operation


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
