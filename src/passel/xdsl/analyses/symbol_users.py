"""Who refers to a symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from passel.xdsl.symbols import SymbolResolver, references

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


class SymbolUsers:
    """The uses of each symbol inside an op, references nested in attributes included.

    A reference is looked up in the closest symbol table around its user, and is a use of every
    symbol on its path. Built in one walk; answers cost O(1). Valid while no symbol and no
    reference is added, erased or renamed.

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

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._resolver = SymbolResolver()
        self._uses: dict[Operation, list[SymbolUse]] = {}
        self._unresolved: list[SymbolUse] = []
        for user in op.walk():
            for reference in references(user):
                self._add(SymbolUse(user, reference))

    def __eq__(self, other: object) -> bool:
        """Return whether the same ops use the same symbols, and names mean the same."""
        if not isinstance(other, SymbolUsers):
            return NotImplemented
        return (
            self._uses == other._uses
            and self._unresolved == other._unresolved
            and self._resolver.agrees_with(other._resolver, self.op)
        )

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _add(self, use: SymbolUse) -> None:
        found = 0
        for symbol in self._resolver.resolve(use.user, use.reference):
            self._uses.setdefault(symbol, []).append(use)
            found += 1
        if found <= len(use.reference.nested_references):
            self._unresolved.append(use)

    def uses(self, symbol: Operation) -> tuple[SymbolUse, ...]:
        """Return the uses of a symbol, in program order of their users."""
        return tuple(self._uses.get(symbol, ()))

    def users(self, symbol: Operation) -> tuple[Operation, ...]:
        """Return the ops that refer to a symbol, each once, in program order."""
        return tuple(dict.fromkeys(use.user for use in self._uses.get(symbol, ())))

    def is_unused(self, symbol: Operation) -> bool:
        """Return whether nothing inside the op refers to a symbol."""
        return symbol not in self._uses

    def lookup(self, user: Operation, reference: SymbolRefAttr) -> Operation | None:
        """Return the symbol that a reference in `user` means, if it exists."""
        return self._resolver.lookup(user, reference)

    @property
    def unresolved(self) -> tuple[SymbolUse, ...]:
        """References whose symbol, or part of it, does not exist in the closest table."""
        return tuple(self._unresolved)
