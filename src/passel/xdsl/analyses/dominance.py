"""Dominance and post-dominance, as MLIR defines them for nested regions."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from passel.analysis.dominator_tree import DominatorTree, RegionDominance
from passel.xdsl.regions import has_ssa_dominance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Point: TypeAlias = "Operation | Block"
"""An op or a block."""


class _Dominance(RegionDominance[Block]):
    """The base class of the analyses of dominance and post-dominance."""

    _block_of = _region_of = attrgetter("parent")
    _owner_of = staticmethod(Block.parent_op)

    def __init__(self, op: Operation) -> None:
        """Create an analysis that builds a region's tree on the first query about the region."""
        self.op = op
        self._trees: dict[Region, DominatorTree[Block]] = {}
        self._orders: dict[Block, dict[Operation, int]] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two analyses agree on all dominator trees that either of them built."""
        if not isinstance(other, _Dominance) or type(other) is not type(self):
            return NotImplemented
        return self._agrees(other) and other._agrees(self)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _agrees(self, other: _Dominance) -> bool:
        # Erased regions and blocks cannot be compared any more.
        return all(
            tree == other.tree(region)
            for region, tree in self._trees.items()
            if self.op.is_ancestor(region)
        ) and all(
            _is_sorted([order[op] for op in block.ops if op in order])
            for block, order in self._orders.items()
            if self.op.is_ancestor(block)
        )

    def tree(self, region: Region) -> DominatorTree[Block]:
        """Return the dominator tree of the blocks in a region."""
        if region not in self._trees:
            roots = _ends(region) if self._is_reversed else list(region.blocks)[:1]
            after = Block.predecessors if self._is_reversed else successors_of
            self._trees[region] = DominatorTree(roots, after)
        return self._trees[region]

    def dominates(self, a: Point | SSAValue, b: Point) -> bool:
        """Return whether `a` is `b` or properly dominates `b`."""
        return a is b or self.properly_dominates(a, b)

    def properly_dominates(self, a: Point | SSAValue, b: Point) -> bool:
        """Return whether `a` properly dominates `b`.

        * An op dominates the later ops in its block, the ops nested in those later ops, and all ops
          in the blocks that its block dominates. An op also dominates the ops nested in it, but the
          results of the op do not. In a graph region, all ops dominate each other and themselves.
        * A block dominates all blocks nested in its ops. An unreachable block is dominated by all
          blocks in its region.
        * A block argument dominates all ops in its block and in the blocks that its block
          dominates. If `a` is a value, `b` must be an op.

        Raises:
            TypeError: If `a` is an op or a value and `b` is a block, or if `a` is a block and `b`
                is an op.

        Source: `mlir::DominanceInfo::properlyDominates`, MLIR 22.
        """
        if isinstance(a, Operation) and isinstance(b, Operation):
            return self._op_dominates(a, b, enclosing=True)
        if isinstance(a, OpResult) and isinstance(b, Operation):
            return self._op_dominates(a.op, b, enclosing=False)
        if isinstance(a, BlockArgument) and isinstance(b, Operation):
            block = b.parent
            return block is not None and (block is a.block or self._block_dominates(a.block, block))
        if isinstance(a, Block) and isinstance(b, Block):
            return self._block_dominates(a, b)
        raise TypeError(f"cannot compare {type(a).__name__} with {type(b).__name__}")

    def is_before(self, a: Operation, b: Operation) -> bool:
        """Return whether `a` comes before `b` in the same block.

        The first query about a block numbers the block's ops. A query about an op that was added
        since then numbers them again.

        Source: `mlir::Operation::isBeforeInBlock`, MLIR 22.
        """
        block = a.parent
        if block is None or b.parent is not block:
            return False
        order = self._orders.get(block)
        if order is None or a not in order or b not in order:
            order = self._orders[block] = {op: place for place, op in enumerate(block.ops)}
        return order[a] < order[b]

    def _is_ordered(self, block: Block) -> bool:
        return block.parent is None or has_ssa_dominance(block.parent)


class DominanceInfo(_Dominance):
    """Dominance: `a` dominates `b` if every path from the region's entry to `b` contains `a`.

    The first query about a region builds the region's dominator tree, and the first query about a
    block numbers the block's ops. Both take nearly linear time. Later queries take O(1), or
    O(nesting depth) if `a` and `b` are in different regions. The analysis is valid as long as no
    block or terminator changes and no op moves within its block.

    Example:
        >>> from xdsl.dialects.arith import AddiOp, ConstantOp
        >>> from xdsl.dialects.func import FuncOp, ReturnOp
        >>> f = FuncOp("f", ((), ()))
        >>> one = ConstantOp.from_int_and_width(1, 32)
        >>> f.body.block.add_ops([one, two := AddiOp(one, one), ReturnOp()])
        >>> dominance = DominanceInfo(f)
        >>> dominance.properly_dominates(one.result, two), dominance.dominates(two, one)
        (True, False)

    Source: `mlir/lib/IR/Dominance.cpp`, MLIR 22.
    """

    def is_reachable(self, block: Block) -> bool:
        """Return whether a block is reachable from the entry block of its region."""
        region = block.parent
        return region is not None and (region.first_block is block or block in self.tree(region))


class PostDominanceInfo(_Dominance):
    """Post-dominance: `a` post-dominates `b` if every path from `b` to an exit contains `a`.

    In this class, the methods `dominates` and `properly_dominates` return whether `a`
    post-dominates `b`. An exit is a block without successors. Since an infinite loop has no exit,
    the last block that a forward search reaches in the loop is treated as an exit.

    Source: `mlir/lib/IR/Dominance.cpp` and `llvm/Support/GenericDomTreeConstruction.h`.
    """

    _is_reversed = True


def successors_of(block: Block) -> Sequence[Block]:
    """Return the successors of a block."""
    return () if block.last_op is None else block.last_op.successors


def _ends(region: Region) -> list[Block]:
    """Return the blocks of a region without successors, and one block of each infinite loop."""
    ends = [block for block in region.blocks if not successors_of(block)]
    covered = set(_reach(ends, Block.predecessors))
    for block in region.blocks:
        if block not in covered:
            furthest = _reach([block], successors_of)[-1]
            ends.append(furthest)
            covered.update(_reach([furthest], Block.predecessors))
    return ends


def _reach(roots: Sequence[Block], after: Callable[[Block], Sequence[Block]]) -> list[Block]:
    """Return the blocks that are reachable from the roots, in depth-first order."""
    order: dict[Block, None] = {}
    stack = list(reversed(roots))
    while stack:
        block = stack.pop()
        if block not in order:
            order[block] = None
            stack += reversed(after(block))
    return list(order)


def _is_sorted(numbers: list[int]) -> bool:
    return numbers == sorted(numbers)
