"""Verification that definitions dominate uses, as in MLIR.

The walk keeps the set of values that are defined at the current op. Only regions of several blocks
need a dominator tree. Other uses are checked by `DominanceInfo`, which also covers the ops around
the root.
"""
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows values by address: xDSL hashes in Python.

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from xdsl.ir import BlockArgument, OpResult
from xdsl.traits import IsolatedFromAbove

from passel.ir import InvalidIR
from passel.xdsl.regions import has_ssa_dominance

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, SSAValue

    from passel.analysis.dominator_tree import DominatorTree
    from passel.xdsl.analyses.dominance import DominanceInfo


def check_definitions(root: Operation) -> None:
    """Check that the operands of ops inside `root` dominate their uses.

    Unreachable blocks may use any value, and so may graph regions within a block.

    Raises:
        InvalidIR: If an operand is not dominated by its definition; for the first such op.

    Source: `OperationVerifier::verifyDominanceOfContainedRegions`, `mlir/lib/IR/Verifier.cpp`,
        MLIR 22.
    """
    walk = _Walk(root)
    walk.go_into(root)
    while walk.left:
        step, *arguments = walk.left.pop()
        step(*arguments)


class _Walk:
    """A walk down regions and dominator trees, without recursion.

    Attributes:
        left: A stack of the remaining work: methods with their arguments.
        defined: The addresses of the values that are defined at the current op.
    """

    def __init__(self, root: Operation) -> None:
        self.root = root
        self.left: list[tuple[Any, ...]] = []
        self.defined: set[int] = set()

    @cached_property
    def exact(self) -> DominanceInfo:
        """Dominance in the root, which regions of one block rarely need."""
        from passel.xdsl.analyses.dominance import DominanceInfo

        return DominanceInfo(self.root)

    def go_into(self, op: Operation) -> None:
        """Schedule the regions of an op."""
        is_closed = op is self.root or _is_isolated(type(op))
        if is_closed:
            self.left.append((self.go_on_with, self.defined))
        for region in reversed(op.regions):
            if (entry := region.first_block) is None:
                continue
            tree = None if entry is region.last_block else self.exact.tree(region)
            if tree is not None:
                unreachable = [block for block in region.blocks if block not in tree]
                self.left += [(self.visit, block.first_op, False) for block in unreachable[::-1]]
            if not is_closed:
                self.left.append((self.leave, entry))
            self.left.append((self.enter, entry, tree))
            if is_closed:  # nothing outside is seen inside, so that a set of its own will do
                self.left.append((self.go_on_with, set[int]()))

    def go_on_with(self, defined: set[int]) -> None:
        """Continue with another set of defined values."""
        self.defined = defined

    def enter(self, block: Block, tree: DominatorTree[Block] | None) -> None:
        """Visit a block, then the blocks that it dominates."""
        for child in () if tree is None else reversed(tree.children(block)):
            self.left += [(self.leave, child), (self.enter, child, tree)]
        self.defined.update(map(id, block.args))
        if block.parent is not None and not has_ssa_dominance(block.parent):
            for op in block.ops:
                self.defined.update(map(id, op.results))
        self.visit(block.first_op, is_reachable=True)

    def leave(self, block: Block) -> None:
        """Remove the definitions of a block, which are not visible in the next one."""
        forget = self.defined.difference_update
        forget(map(id, block.args))
        for op in block.ops:
            forget(map(id, op.results))

    def visit(self, op: Operation | None, is_reachable: bool) -> None:
        """Check ops up to the next one with regions, and schedule the rest after the regions."""
        defined = self.defined
        define = defined.add
        while op is not None:
            for operand in op._operands if is_reachable else ():
                if id(operand) not in defined and not self.exact.properly_dominates(operand, op):
                    raise _undominated(op, operand)
            if op.regions:
                self.left.append((self.visit_after, op, is_reachable))
                self.go_into(op)
                return
            if is_reachable:
                for result in op.results:
                    define(id(result))
            op = op._next_op

    def visit_after(self, op: Operation, is_reachable: bool) -> None:
        """Continue after an op with regions, whose results are defined only now."""
        if is_reachable:
            self.defined.update(map(id, op.results))
        self.visit(op._next_op, is_reachable)


@cache
def _is_isolated(op_class: type[Operation]) -> bool:
    return op_class.has_trait(IsolatedFromAbove, value_if_unregistered=False)


def _undominated(user: Operation, operand: SSAValue) -> InvalidIR:
    number = next(n for n, value in enumerate(user._operands) if value is operand)
    message = f"operand #{number} does not dominate this use"
    if isinstance(operand, OpResult):
        note = f"operand defined here (op {_relation(user, operand.op.parent)})"
        return InvalidIR(user, message, [(operand.op, note)])
    if not isinstance(operand, BlockArgument) or (enclosing := operand.block.parent_op()) is None:
        return InvalidIR(user, message)
    block = operand.block
    blocks = () if block.parent is None else block.parent.blocks
    number = next(n for n, each in enumerate(blocks) if each is block)
    relation = _relation(user, block).replace("is neither in", "neither in")
    note = f"operand defined as a block argument (block #{number} {relation})"
    return InvalidIR(user, message, [(enclosing, note)])


def _relation(user: Operation, block: Block | None) -> str:
    """Describe in MLIR's words where the definition is relative to the use."""
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
