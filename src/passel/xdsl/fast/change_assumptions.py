"""Assumptions of the fast path of changes about xDSL, and whether they hold.

It writes links that xDSL's own methods write. So it is tried on an op: what has become of that
is the same, field by field, as what it was made to be like.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr, UnrealizedConversionCastOp, i32
from xdsl.ir import Block, Region

from passel.xdsl.fast.assumptions import layout
from passel.xdsl.fast.change_reader import change
from passel.xdsl.fast.change_writer import changes_of
from passel.xdsl.fast.snapshots import Snapshot

if TYPE_CHECKING:
    from xdsl.ir import Operation


@cache
def change_mismatches() -> tuple[str, ...]:
    """Return what is not as assumed in the version of xDSL that is installed."""
    try:
        here, there = _sample(), _sample()
        before = Snapshot(there)
        _change(there)
        change(here, changes_of(there, before), Context())
        found = fields_of(here) == fields_of(there)
    except (AttributeError, TypeError) as error:
        return (f"ops, values, uses, blocks or regions are others: {error}",)
    return () if found else ("ops, values, uses, blocks or regions have other fields",)


def fields_of(root: Operation) -> list[object]:
    """Return all that there is to see of an op, but for fields that may be left out."""
    rows: list[Any] = layout(root)
    return [(kind, [field for field in fields if field[1] is not None]) for kind, fields in rows]


_new = UnrealizedConversionCastOp.create
"""Of a class that is loaded with any other: what it holds need not be valid."""


def _sample() -> ModuleOp:
    """Return an op with a region of two blocks, in which there are ops."""
    blocks = [Block(arg_types=[i32, i32]), Block()]
    first, second = blocks[0].args
    for pair in ((first, second), (second, first)):
        blocks[0].add_op(_new(operands=pair, result_types=[i32]))
    blocks[0].add_op(_new(successors=[blocks[1]]))
    blocks[1].add_op(_new(regions=[Region(Block([_new(operands=[first])]))]))
    return ModuleOp(Region(blocks))


def _change(op: ModuleOp) -> None:
    """Make changes of all kinds."""
    first, second = op.body.blocks
    one, other, last = first.ops
    one.results[0].name_hint = "name"
    operands, attributes = (other.results[0], one.results[0]), {"a": UnitAttr()}
    added = _new(operands=operands, result_types=[i32], attributes=attributes)
    first.insert_op_before(added, last)
    added.operands[0] = one.results[0]
    one.operands[0] = one.operands[1]
    first.erase_op(other)
    block = Block([_new(operands=first.args, successors=[second])], arg_types=[i32])
    op.body.insert_block(block, 1)
    last.successors = [block, second]
