"""Who refers to a symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from passel.mlir.bindings import bindings_of, parent_of
from passel.mlir.contents import symbol_name

if TYPE_CHECKING:
    from collections.abc import Iterator


class SymbolUse(NamedTuple):
    """A reference to a symbol.

    Attributes:
        user: The op whose attributes hold it.
        reference: The whole reference; the symbol may be any part of it.
    """

    user: Any
    reference: Any


class SymbolUsers:
    """The uses of each symbol inside an op, references in arrays and dictionaries included.

    A reference is looked up in the closest symbol table that encloses its user, and is a use of
    every symbol on its path. Which ops are symbol tables is asked of the bindings' `SymbolTable`.
    References inside of attributes of other kinds are not seen: the bindings cannot look into
    them. Built in one walk; answers cost O(1). Valid while no symbol and no reference is added,
    erased or renamed.

    Example:
        >>> from mlir.ir import Context, Module
        >>> module = Module.parse(
        ...     '''
        ... func.func private @leaf()
        ... func.func @main() { call @leaf() : () -> () return }''',
        ...     context=Context(),
        ... )
        >>> users = SymbolUsers(module)
        >>> leaf, main = module.body.operations
        >>> [user.operation.name for user in users.users(leaf)], users.is_unused(main)
        (['func.call'], True)

    Source: `mlir::SymbolUserMap`, MLIR 22.
    """

    def __init__(self, op: Any) -> None:
        self._bindings = bindings_of(op)
        self._tables: dict[Any, dict[str, Any] | None] = {}
        self._uses: dict[Any, list[SymbolUse]] = {}
        self._unresolved: list[SymbolUse] = []
        for user in self._bindings.walk(op.operation.opview):
            for attribute in dict(user.operation.attributes).values():
                for reference in self._references_in(attribute):
                    self._add(SymbolUse(user, reference))

    def __eq__(self, other: object) -> bool:
        """Return whether the same ops use the same symbols, and names mean the same."""
        if not isinstance(other, SymbolUsers):
            return NotImplemented
        try:
            return self._agrees(other) and other._agrees(self)
        except RuntimeError:  # one of them knows an op that was erased
            return False

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _agrees(self, other: SymbolUsers) -> bool:
        if self._uses != other._uses or self._unresolved != other._unresolved:
            return False
        return all(other._symbols(table) == known for table, known in list(self._tables.items()))

    def _add(self, use: SymbolUse) -> None:
        path = list(self._resolve(use.user, use.reference))
        for symbol in path:
            self._uses.setdefault(symbol, []).append(use)
        if len(path) < len(self._names(use.reference)):
            self._unresolved.append(use)

    def uses(self, symbol: Any) -> tuple[SymbolUse, ...]:
        """Return the uses of a symbol, in program order of their users."""
        return tuple(self._uses.get(symbol.operation, ()))

    def users(self, symbol: Any) -> tuple[Any, ...]:
        """Return the ops that refer to a symbol, each once, in program order."""
        return tuple(dict.fromkeys(use.user for use in self.uses(symbol)))

    def is_unused(self, symbol: Any) -> bool:
        """Return whether nothing inside the op refers to a symbol."""
        return symbol.operation not in self._uses

    def lookup(self, user: Any, reference: Any) -> Any:
        """Return the symbol that a reference in `user` means; None if there is none."""
        path = list(self._resolve(user, reference))
        return path[-1].opview if len(path) == len(self._names(reference)) else None

    @property
    def unresolved(self) -> tuple[SymbolUse, ...]:
        """References whose symbol, or part of it, does not exist in the closest table."""
        return tuple(self._unresolved)

    def _resolve(self, user: Any, reference: Any) -> Iterator[Any]:
        """Yield the symbols along a reference, as far as they exist."""
        place = parent_of(user)
        while place is not None and self._symbols(place) is None:
            place = parent_of(place)
        for name in self._names(reference):
            symbols = None if place is None else self._symbols(place)
            place = None if symbols is None else symbols.get(name)
            if place is None:
                return
            yield place

    def _symbols(self, op: Any) -> dict[str, Any] | None:
        """Return the symbols of a table by name; None for an op that is no table."""
        operation = op.operation
        if operation not in self._tables:
            self._tables[operation] = self._read(operation)
        return self._tables[operation]

    def _read(self, operation: Any) -> dict[str, Any] | None:
        ir = self._bindings.ir
        try:
            ir.SymbolTable(operation)
        except (TypeError, ValueError):
            return None
        inside = (child.operation for child in self._bindings.children(operation))
        named = ((symbol_name(child), child) for child in inside)
        return {name: child for name, child in named if name is not None}

    def _names(self, reference: Any) -> list[str]:
        if isinstance(reference, self._bindings.ir.FlatSymbolRefAttr):
            return [reference.value]
        return list(reference.value)

    def _references_in(self, attribute: Any) -> Iterator[Any]:
        ir = self._bindings.ir
        if isinstance(attribute, (ir.FlatSymbolRefAttr, ir.SymbolRefAttr)):
            yield attribute
        elif isinstance(attribute, ir.ArrayAttr):
            for element in attribute:
                yield from self._references_in(element)
        elif isinstance(attribute, ir.DictAttr):
            for index in range(len(attribute)):
                yield from self._references_in(attribute[index].attr)
