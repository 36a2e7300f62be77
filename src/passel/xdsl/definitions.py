"""Verification that definitions dominate uses, as in MLIR.

A walk of the IR maintains the set of blocks and ops whose values are defined at the current op.
Only regions with several blocks need a dominator tree. Operands that are not in the set, such as
values from outside the root op, are checked with `DominanceInfo`.
"""
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows ops by address: xDSL hashes in Python.

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from xdsl.ir import BlockArgument, OpResult
from xdsl.traits import IsolatedFromAbove

from passel.ir import InvalidIR
from passel.xdsl.locations import convert_location
from passel.xdsl.regions import has_ssa_dominance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.ir import Block, Operation, Region, SSAValue

    from passel.xdsl.analyses.dominance import DominanceInfo


def check_definitions(root: Operation) -> None:
    """Check that every use of a value inside `root` is dominated by the value's definition.

    Ops in unreachable blocks may use any value. Ops in graph regions may use any value that their
    block defines.

    Raises:
        InvalidIR: If a definition does not dominate a use. The error names the first op with an
            invalid use.

    Source: `OperationVerifier::verifyDominanceOfContainedRegions`, `mlir/lib/IR/Verifier.cpp`,
        MLIR 22.
    """
    _Walk(root).check_inside(root)


class _Walk:
    """A walk down regions and dominator trees.

    Attributes:
        passed: The addresses of the blocks that the walk is in, which are those that contain or
            dominate the current op, and of the ops that it has passed.
    """

    def __init__(self, root: Operation) -> None:
        self.root = root
        self.passed: set[int] = set()

    @cached_property
    def exact(self) -> DominanceInfo:
        """The dominance analysis of the root op, which single-block regions rarely need."""
        from passel.xdsl.analyses.dominance import DominanceInfo

        return DominanceInfo(self.root)

    def check_inside(self, parent: Operation) -> None:
        """Check the ops in the regions of an op."""
        outside = self.passed
        if parent is self.root or _is_isolated(type(parent)):
            self.passed = set()  # nothing outside is visible inside
        for region in parent.regions:
            for block, is_reachable in self._blocks(region):
                self._check_block(block, is_reachable=is_reachable)
        self.passed = outside

    def _blocks(self, region: Region) -> Iterator[tuple[Block, bool]]:
        """Yield each block and whether it is reachable, with dominating blocks first."""
        if (entry := region.first_block) is None:
            return
        tree = None if entry is region.last_block else self.exact.tree(region)
        entered: list[Block] = []
        for block, depth in [(entry, 0)] if tree is None else tree.preorder():
            self.passed.difference_update(map(id, entered[depth:]))
            entered[depth:] = [block]
            self.passed.add(id(block))
            if not has_ssa_dominance(region):
                self.passed.update(map(id, block.ops))
            yield block, True
        self.passed.difference_update(map(id, entered))
        if tree is not None:
            yield from ((block, False) for block in region.blocks if block not in tree)

    def _check_block(self, block: Block, *, is_reachable: bool) -> None:
        passed = self.passed
        op = block.first_op
        while op is not None:
            for operand in op._operands if is_reachable else ():
                owner = operand.owner
                if (
                    id(owner) not in passed
                    or (operand.__class__ is OpResult and id(owner.parent) not in passed)
                ) and not self.exact.properly_dominates(operand, op):
                    raise _undominated(op, operand)
            if op.regions:
                self.check_inside(op)
            passed.add(id(op))
            op = op._next_op


@cache
def _is_isolated(op_class: type[Operation]) -> bool:
    return op_class.has_trait(IsolatedFromAbove, value_if_unregistered=False)


def _undominated(user: Operation, operand: SSAValue) -> InvalidIR:
    number = user._operands.index(operand)
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
