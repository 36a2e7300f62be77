"""Symbols and references to them: what symbol passes and analyses share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    StringAttr,
    SymbolRefAttr,
    UnregisteredOp,
)
from xdsl.ir import ParametrizedAttribute
from xdsl.traits import CallableOpInterface, SymbolOpInterface, SymbolTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation


CALLABLES = frozenset({"llvm.func"})
"""Ops that MLIR defines as callable and xDSL does not."""


def op_name(op: Operation) -> str:
    """Return the name of an op, registered or not."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def symbol_name(op: Operation) -> str | None:
    """Return the name that an op defines as a symbol, if it does."""
    trait = op.get_trait(SymbolOpInterface)
    if trait is None:
        return None
    name = trait.get_sym_attr_name(op)
    return name.data if name is not None else None


def visibility(op: Operation) -> str:
    """Return `public`, `private` or `nested`."""
    attribute = op.get_attr_or_prop("sym_visibility")
    return attribute.data if isinstance(attribute, StringAttr) else "public"


def is_table(op: Operation) -> bool:
    """Return whether an op is a symbol table."""
    return op.has_trait(SymbolTable, value_if_unregistered=False)


def is_callable(op: Operation) -> bool:
    """Return whether an op can be called."""
    return op.name in CALLABLES or op.has_trait(CallableOpInterface, value_if_unregistered=False)


def may_be_table(op: Operation, context: Context) -> bool:
    """Return whether an op, for all we know, has symbols of its own inside.

    Source: `isPotentiallyUnknownSymbolTable`, `mlir/lib/IR/SymbolTable.cpp`, MLIR 22.
    """
    if not isinstance(op, UnregisteredOp) or len(op.regions) != 1:
        return False
    dialect, _, _ = op_name(op).partition(".")
    return dialect not in context.registered_dialect_names


def closest_enclosing(op: Operation, fits: Callable[[Operation], bool]) -> Operation | None:
    """Return the closest enclosing op that fits."""
    enclosing = op.parent_op()
    while enclosing is not None and not fits(enclosing):
        enclosing = enclosing.parent_op()
    return enclosing


def enclosing_table(user: Operation) -> Operation | None:
    """Return the closest symbol table that encloses an op, the one that its references are for."""
    return closest_enclosing(user, is_table)


def ops_in(op: Operation) -> Iterator[Operation]:
    """Yield the ops immediately inside."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def walk_outside_tables(op: Operation) -> Iterator[Operation]:
    """Yield `op` and what is inside in program order, but nothing inside of symbol tables."""
    stack = [iter((op,))]
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
            continue
        yield inner
        if inner.regions and not is_table(inner):
            stack.append(ops_in(inner))


def references(op: Operation) -> Iterator[SymbolRefAttr]:
    """Yield the references in an op's attributes and properties, nested ones as well."""
    if op.attributes:
        yield from _references_in(op.attributes.values())
    if op.properties:
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
