"""Elimination of symbols that nothing refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    StringAttr,
    SymbolRefAttr,
    UnregisteredOp,
)
from xdsl.ir import Operation, ParametrizedAttribute
from xdsl.traits import SymbolOpInterface, SymbolTable

from passel.errors import PassFailure
from passel.passes import Pass
from passel.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xdsl.context import Context
    from xdsl.ir import Attribute

    from passel.context import PassContext


class SymbolDCE(Pass["Operation"]):
    """Eliminate dead symbols: private ones, and nested ones that cannot be seen, without uses.

    Example:
        >>> from passel import PassManager
        >>> str(PassManager("builtin.module").add(SymbolDCE()))
        'builtin.module(symbol-dce)'

    Source: `mlir/lib/Transforms/SymbolDCE.cpp`, MLIR 22.
    """

    name = "symbol-dce"
    erased = Statistic("Number of symbols DCE'd", name="num-dce'd")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Mark what is live from `op` inwards, and erase the other symbols."""
        if not _is_table(op):
            message = "was scheduled to run under SymbolDCE, but does not define a symbol table"
            raise PassFailure(message)
        hidden = op.parent is None or _is_hidden(op)
        live = _Liveness(op, ctx.ir_context, hidden=hidden).live
        # Inner tables first: what is in a dead symbol is dead as well, and counts.
        dead = [
            inner
            for table in op.walk(region_first=True)
            if _is_table(table)
            for inner in _ops_in(table)
            if _symbol_of(inner) is not None and inner not in live
        ]
        for symbol in dead:
            symbol.detach()
            symbol.erase(safe_erase=False)
            ctx.count(self.erased)
        if not dead:
            ctx.preserve_all()


class _Liveness:
    """Finds the live symbols of a symbol table and of those inside.

    Attributes:
        live: What was found so far.

    Raises:
        PassFailure: An op of an unknown dialect may be a symbol table.
    """

    def __init__(self, table: Operation, context: Context, *, hidden: bool) -> None:
        self.live: set[Operation] = set()
        self._context = context
        self._symbols: dict[Operation, dict[str, Operation]] = {}
        self._mark(table, hidden=hidden)

    def _mark(self, table: Operation, *, hidden: bool) -> None:
        worklist: list[Operation] = []
        for op in _ops_in(table):
            if _symbol_of(op) is None:
                worklist.append(op)
            elif not _is_discardable(op, hidden=hidden):
                self.live.add(op)
                worklist.append(op)
        while worklist:
            op = worklist.pop()
            for holder in _walk_outside_tables(op):
                self._enter(holder, hidden=hidden)
                for reference in _references(holder):
                    for symbol in self._resolve(holder, reference):
                        if symbol not in self.live:
                            self.live.add(symbol)
                            worklist.append(symbol)

    def _enter(self, holder: Operation, *, hidden: bool) -> None:
        if _is_table(holder):
            self._mark(holder, hidden=hidden or _is_hidden(holder))
        elif _may_be_table(holder, self._context):
            message = "an op of an unknown dialect may be a symbol table, so uses are unknown"
            raise PassFailure(message, op=holder)

    def _resolve(self, user: Operation, reference: SymbolRefAttr) -> Iterator[Operation]:
        """Yield the symbols along a reference, as far as they exist.

        As in MLIR, it is looked up in the closest table only: a name of a table further out
        means nothing here.
        """
        symbol = user.parent_op()
        while symbol is not None and not _is_table(symbol):
            symbol = symbol.parent_op()
        for name in (reference.root_reference, *reference.nested_references):
            if symbol is None:
                return
            symbol = self._symbols_in(symbol).get(name.data)
            if symbol is not None:
                yield symbol

    def _symbols_in(self, table: Operation) -> dict[str, Operation]:
        symbols = self._symbols.get(table)
        if symbols is None:
            named = ((_symbol_of(op), op) for op in _ops_in(table))
            symbols = self._symbols[table] = {name: op for name, op in named if name is not None}
        return symbols


def _walk_outside_tables(op: Operation) -> Iterator[Operation]:
    """Yield `op` and what is inside, but nothing inside of symbol tables."""
    yield op
    if not _is_table(op):
        for inner in _ops_in(op):
            yield from _walk_outside_tables(inner)


def _ops_in(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def _symbol_of(op: Operation) -> str | None:
    trait = op.get_trait(SymbolOpInterface)
    if trait is None:
        return None
    name = trait.get_sym_attr_name(op)
    return name.data if name is not None else None


def _visibility(op: Operation) -> str:
    visibility = op.get_attr_or_prop("sym_visibility")
    return visibility.data if isinstance(visibility, StringAttr) else "public"


def _is_table(op: Operation) -> bool:
    return op.has_trait(SymbolTable, value_if_unregistered=False)


def _is_hidden(table: Operation) -> bool:
    """Tell whether no reference from around a table can reach into it."""
    return _symbol_of(table) is None or _visibility(table) == "private"


def _may_be_table(op: Operation, context: Context) -> bool:
    """Tell whether an op, for all we know, has symbols of its own inside.

    Source: `isPotentiallyUnknownSymbolTable`, `mlir/lib/IR/SymbolTable.cpp`, MLIR 22.
    """
    if not isinstance(op, UnregisteredOp) or len(op.regions) != 1:
        return False
    dialect, _, _ = op.op_name.data.partition(".")
    return dialect not in context.registered_dialect_names


def _is_discardable(op: Operation, *, hidden: bool) -> bool:
    visibility = _visibility(op)
    return visibility == "private" or (hidden and visibility == "nested")


def _references(op: Operation) -> Iterator[SymbolRefAttr]:
    yield from _references_in(op.attributes.values())
    yield from _references_in(op.properties.values())


def _references_in(attributes: Iterable[Attribute]) -> Iterator[SymbolRefAttr]:
    for attribute in attributes:
        match attribute:
            case SymbolRefAttr():
                yield attribute
            case ArrayAttr():
                yield from _references_in(attribute.data)
            case DictionaryAttr():
                yield from _references_in(attribute.data.values())
            case ParametrizedAttribute():
                yield from _references_in(attribute.parameters)
            case _:
                pass
