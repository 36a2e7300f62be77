"""Verification that definitions dominate uses, as in MLIR."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

from xdsl.ir import BlockArgument, OpResult

from passel.ir import InvalidIR
from passel.xdsl.analyses.dominance import DominanceInfo
from passel.xdsl.locations import convert_location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Block, Operation, SSAValue


def check_definitions(
    root: Operation, crossings: Sequence[tuple[Block, Block]] | None = None
) -> None:
    """Check that every use of a value inside `root` is dominated by the value's definition.

    Ops in unreachable blocks may use any value. Ops in graph regions may use any value that their
    block defines.

    Args:
        root: The op.
        crossings: The pairs of blocks of which the first must dominate the second, if it is known
            that all definitions dominate all uses if they do; None if nothing is known.

    Raises:
        InvalidIR: If a definition does not dominate a use. The error names the first op with an
            invalid use.

    Source: `OperationVerifier::verifyDominanceOfContainedRegions`, `mlir/lib/IR/Verifier.cpp`,
        MLIR 22.
    """
    dominance = DominanceInfo(root)
    if crossings is None or not all(starmap(dominance.properly_dominates, crossings)):
        _check_inside(root, dominance)


def _check_inside(parent: Operation, dominance: DominanceInfo) -> None:
    for region in parent.regions:
        # Dominating blocks first, unreachable ones last.
        tree = dominance.tree(region)
        blocks = dict.fromkeys([*(block for block, _ in tree.preorder()), *region.blocks])
        for block in blocks:
            for op in block.ops:
                for operand in op.operands if block in tree else ():
                    if not dominance.properly_dominates(operand, op):
                        raise _undominated(op, operand)
                if op.regions:
                    _check_inside(op, dominance)


def _undominated(user: Operation, operand: SSAValue) -> InvalidIR:
    number = [*user.operands].index(operand)
    message = f"operand #{number} does not dominate this use"
    if isinstance(operand, OpResult):
        note = f"operand defined here (op {_relation(user, operand.op.parent)})"
        return InvalidIR(user, message, [(convert_location(operand.op.location), note)])
    if not isinstance(operand, BlockArgument) or (enclosing := operand.block.parent_op()) is None:
        return InvalidIR(user, message)
    block = operand.block
    number = 0 if block.parent is None else block.parent.get_block_index(block)
    relation = _relation(user, block).replace("is neither in", "neither in")
    note = f"operand defined as a block argument (block #{number} {relation})"
    return InvalidIR(user, message, [(convert_location(enclosing.location), note)])


def _relation(user: Operation, block: Block | None) -> str:
    """Describe in MLIR's words where the definition is in relation to the use."""
    if block is user.parent:
        return "in the same block"
    here = None if user.parent is None else user.parent.parent
    there = None if block is None else block.parent
    if here is there:
        return "in the same region"
    if here is not None and there is not None:
        if there.is_ancestor(here):
            return "in a parent region"
        if here.is_ancestor(there):
            return "in a child region"
    return "is neither in a parent nor in a child region"
