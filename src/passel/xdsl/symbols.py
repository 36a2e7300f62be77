"""Functions that find symbols, symbol references, and the parts of ops and attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnregisteredOp
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.traits import CallableOpInterface, SymbolOpInterface, SymbolTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from xdsl.context import Context
    from xdsl.ir import Operation


CALLABLES = frozenset({"llvm.func"})
"""The names of ops that are callable and isolated from above in MLIR, but not in xDSL."""


def op_name(op: Operation) -> str:
    """Return the name of an op, whether or not the op is registered."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def symbol_name(op: Operation) -> str | None:
    """Return the name of the symbol that an op defines, or None if the op is not a symbol."""
    trait = op.get_trait(SymbolOpInterface)
    if trait is None:
        return None
    name = trait.get_sym_attr_name(op)
    return name.data if name is not None else None


def visibility(op: Operation) -> str:
    """Return the visibility of a symbol: `public`, `private` or `nested`."""
    attribute = op.get_attr_or_prop("sym_visibility")
    return attribute.data if isinstance(attribute, StringAttr) else "public"


def is_table(op: Operation) -> bool:
    """Return whether an op is a symbol table."""
    return op.has_trait(SymbolTable, value_if_unregistered=False)


def is_callable(op: Operation) -> bool:
    """Return whether an op has the trait `CallableOpInterface` or is callable in MLIR."""
    return op.name in CALLABLES or op.has_trait(CallableOpInterface, value_if_unregistered=False)


def may_be_table(op: Operation, context: Context) -> bool:
    """Return whether an op may be a symbol table because its dialect is not registered.

    Source: `isPotentiallyUnknownSymbolTable`, `mlir/lib/IR/SymbolTable.cpp`, MLIR 22.
    """
    if not isinstance(op, UnregisteredOp) or len(op.regions) != 1:
        return False
    dialect, _, _ = op_name(op).partition(".")
    return dialect not in context.registered_dialect_names


def closest_enclosing(op: Operation, fits: Callable[[Operation], bool]) -> Operation | None:
    """Return the closest enclosing op that satisfies `fits`, or None if no op does."""
    enclosing = op.parent_op()
    while enclosing is not None and not fits(enclosing):
        enclosing = enclosing.parent_op()
    return enclosing


def enclosing_table(user: Operation) -> Operation | None:
    """Return the closest symbol table around an op, or None if no symbol table encloses it."""
    return closest_enclosing(user, is_table)


def ops_in(op: Operation) -> Iterator[Operation]:
    """Yield the ops immediately inside an op."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def walk_outside_tables(op: Operation) -> Iterator[Operation]:
    """Yield an op and its nested ops in program order, but skip the contents of symbol tables."""
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
    """Yield the symbol references in an op's attributes and properties, at any nesting depth."""
    return _references_in((*op.attributes.values(), *op.properties.values()))


def _references_in(attributes: Iterable[Attribute]) -> Iterator[SymbolRefAttr]:
    for attribute in attributes:
        if isinstance(attribute, SymbolRefAttr):
            yield attribute
        else:
            yield from _references_in(parts_of(attribute))


def parts_of(attribute: Attribute) -> Iterable[Attribute]:
    """Return the attributes that are immediately inside an attribute."""
    if isinstance(attribute, ParametrizedAttribute):
        return attribute.parameters
    data: Any = getattr(attribute, "data", None)
    if isinstance(data, Mapping):
        data = tuple(cast("Mapping[str, Any]", data).values())
    if not isinstance(data, tuple):
        return ()
    return [part for part in cast("tuple[Any, ...]", data) if isinstance(part, Attribute)]
