"""Elimination of symbols that nothing refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Operation, ParametrizedAttribute
from xdsl.traits import SymbolOpInterface, SymbolTable

from passel.errors import PassFailure
from passel.passes import Pass
from passel.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        if not op.has_trait(SymbolTable, value_if_unregistered=False):
            message = "was scheduled to run under SymbolDCE, but does not define a symbol table"
            raise PassFailure(message)
        is_symbol = op.has_trait(SymbolOpInterface, value_if_unregistered=False)
        hidden = op.parent is None or not is_symbol or _visibility(op) == "private"
        live: set[Operation] = set()
        _mark_live(op, live, hidden=hidden)
        dead = [
            inner
            for table in op.walk()
            if table.has_trait(SymbolTable, value_if_unregistered=False)
            for inner in _ops_in(table)
            if _symbol_of(inner) is not None and inner not in live
        ]
        for symbol in dead:
            symbol.detach()
            symbol.erase(safe_erase=False)
            ctx.count(self.erased)
        if not dead:
            ctx.preserve_all()


def _mark_live(table: Operation, live: set[Operation], *, hidden: bool) -> None:
    """Add the live symbols of a symbol table and of those inside to `live`."""
    worklist: list[Operation] = []
    for op in _ops_in(table):
        if _symbol_of(op) is None:
            worklist.append(op)
        elif not _is_discardable(op, hidden=hidden):
            live.add(op)
            worklist.append(op)
    while worklist:
        op = worklist.pop()
        for holder in _walk_outside_tables(op):
            if holder.has_trait(SymbolTable, value_if_unregistered=False):
                inner_hidden = hidden or _symbol_of(holder) is None
                inner_hidden = inner_hidden or _visibility(holder) == "private"
                _mark_live(holder, live, hidden=inner_hidden)
            for reference in _references(holder):
                for symbol in _resolve(holder, reference):
                    if symbol not in live:
                        live.add(symbol)
                        worklist.append(symbol)


def _walk_outside_tables(op: Operation) -> Iterator[Operation]:
    """Yield `op` and what is inside, but nothing inside of symbol tables."""
    yield op
    if not op.has_trait(SymbolTable, value_if_unregistered=False):
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


def _resolve(user: Operation, reference: SymbolRefAttr) -> Iterator[Operation]:
    """Yield the symbols along a reference, from the closest table that has the first."""
    table = user.parent_op()
    while table is not None:
        if table.has_trait(SymbolTable, value_if_unregistered=False):
            symbol = _lookup(table, reference.root_reference.data)
            if symbol is not None:
                break
        table = table.parent_op()
    else:
        return
    yield symbol
    for name in reference.nested_references:
        inner = _lookup(symbol, name.data)
        if inner is None:
            return
        symbol = inner
        yield symbol


def _lookup(table: Operation, name: str) -> Operation | None:
    return next((op for op in _ops_in(table) if _symbol_of(op) == name), None)
