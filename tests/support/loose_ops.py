"""Ops of a dialect `t`, with traits and parsers as a test needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.cf import Cf
from xdsl.dialects.func import Func
from xdsl.dialects.memref import MemRef
from xdsl.dialects.scf import Scf
from xdsl.dialects.test import Test
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
    var_successor_def,
)
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.dialect_interfaces import DialectInterface
    from xdsl.ir import Attribute


def context_with(
    *ops: type[Operation],
    attributes: Sequence[type[Attribute]] = (),
    interfaces: Sequence[DialectInterface] = (),
) -> Context:
    """Return a context of some dialects and `t`, which has these ops, attributes and interfaces."""
    context = Context(allow_unregistered=True)
    own = Dialect("t", list(ops), list(attributes), list(interfaces))
    for dialect in (Builtin, Func, Test, Arith, Cf, Scf, MemRef, own):
        context.load_dialect(dialect)
    return context


class LooseOp(IRDLOperation):
    """Base of ops with any operands, results, regions and successors."""

    ins = var_operand_def()
    outs = var_result_def()
    inside = var_region_def()
    targets = var_successor_def()
    value = opt_prop_def()


class _EffectsByProperty(MemoryEffect):
    """Effects that differ between ops of one class."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance] | None:
        match str(op.properties.get("value", "")):
            case '"write"':
                return {EffectInstance(MemoryEffectKind.WRITE)}
            case '"unknown"':
                return None
            case '"alloc"':
                return {EffectInstance(MemoryEffectKind.ALLOC, op.results[0])}
            case '"other"':
                return {EffectInstance(MemoryEffectKind.ALLOC, op.operands[0])}
            case '"read"':
                return {EffectInstance(MemoryEffectKind.READ)}
            case _:
                return set()


def op_with(op_name: str, *traits: object) -> type[Operation]:
    """Return an op of a name, with traits."""
    fields = {"name": op_name, "traits": traits_def(*cast("list[Pure]", traits))}
    return irdl_op_definition(type("_Op", (LooseOp,), fields))


EFFECTS = (
    op_with("t.pure", Pure()),
    op_with("t.read", MemoryReadEffect()),
    op_with("t.write", MemoryWriteEffect()),
    op_with("t.both", MemoryReadEffect(), MemoryWriteEffect()),
    op_with("t.asked", _EffectsByProperty()),
    op_with("t.nested", RecursiveMemoryEffect()),
    op_with("t.nested_write", RecursiveMemoryEffect(), MemoryWriteEffect()),
    op_with("t.nested_asked", RecursiveMemoryEffect(), _EffectsByProperty()),
    op_with("t.symbol", Pure(), SymbolOpInterface()),
    op_with("t.end", Pure(), IsTerminator()),
    op_with("t.unknown"),
)
"""Ops of all kinds of effects."""


@irdl_op_definition
class TextOp(LooseOp):
    """Base of ops that a test parses, under their own name."""

    name = "t.op"
