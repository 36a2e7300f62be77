"""Dominance and post-dominance, as MLIR defines them for nested regions."""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeAlias

from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from passel.analysis.dominator_tree import DominatorTree
from passel.xdsl.regions import has_ssa_dominance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Point: TypeAlias = "Operation | Block"
"""Ops, blocks and values, which can be dominated."""


class _Dominance:
    """Common part of dominance and post-dominance."""

    def __init__(self, op: Operation) -> None:
        """Compute nothing yet: trees are made per region when they are asked for."""
        self.op = op
        self._trees: dict[Region, DominatorTree[Block]] = {}
        self._orders: dict[Block, dict[Operation, int]] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two analyses agree in all that either has computed so far."""
        if not isinstance(other, _Dominance) or type(other) is not type(self):
            return NotImplemented
        return self._agrees(other) and other._agrees(self)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _agrees(self, other: _Dominance) -> bool:
        for region, tree in self._trees.items():
            # Erased regions cannot be asked about any more.
            if self._covers(region.parent) and tree != other.tree(region):
                return False
        for block, order in self._orders.items():
            if self._covers(block.parent_op()):
                present = [order[op] for op in block.ops if op in order]
                if present != sorted(present):
                    return False
        return True

    def _covers(self, op: Operation | None) -> bool:
        while op is not None and op is not self.op:
            op = op.parent_op()
        return op is not None

    def invalidate(self, region: Region | None = None) -> None:
        """Forget a region that has changed, or all of them.

        Not needed after erasing or adding ops that are no terminators.
        """
        if region is None:
            self._trees.clear()
            self._orders.clear()
            return
        self._trees.pop(region, None)
        for block in [known for known in self._orders if known.parent in (region, None)]:
            del self._orders[block]

    def tree(self, region: Region) -> DominatorTree[Block]:
        """Return the tree of a region's blocks."""
        found = self._trees.get(region)
        if found is None:
            found = self._trees[region] = self._build(region)
        return found

    def immediate_dominator(self, block: Block) -> Block | None:
        """Return the closest other block of the region that dominates `block`, if any."""
        return self._tree_of(block).immediate_dominator(block)

    def children(self, block: Block) -> tuple[Block, ...]:
        """Return the blocks that `block` immediately dominates."""
        return self._tree_of(block).children(block)

    def dominance_frontier(self, block: Block) -> tuple[Block, ...]:
        """Return the blocks where the dominance of `block` ends."""
        return self._tree_of(block).dominance_frontier(block)

    def nearest_common_dominator(self, a: Block, b: Block) -> Block | None:
        """Return the closest block that dominates both, in the innermost region around them.

        Source: `mlir::DominanceInfo::findNearestCommonDominator`, MLIR 22.
        """
        path: dict[Region, Block] = {}
        place: Block | None = a
        while place is not None and place.parent is not None:
            path[place.parent] = place
            place = _block_around(place)
        other: Block | None = b
        while other is not None and other.parent is not None:
            if (ours := path.get(other.parent)) is not None:
                if ours is other:
                    return other
                return self.tree(other.parent).nearest_common_dominator(ours, other)
            other = _block_around(other)
        return None

    def dominates(self, a: Point | SSAValue, b: Point) -> bool:
        """Return whether `a` is `b` or properly dominates it."""
        return a is b or self.properly_dominates(a, b)

    def properly_dominates(self, a: Point | SSAValue, b: Point) -> bool:
        """Return whether control passes `a` whenever it passes `b`.

        * An op dominates those after it in its block, what is inside of them, and what is in
          blocks that its block dominates. It dominates what is inside of itself as well; its
          results do not. In a graph region all ops dominate each other, and themselves.
        * A block dominates what is inside of its ops. Unreachable blocks are dominated by all.
        * A block argument dominates all ops of its block; `b` must be an op for a value.

        Raises:
            TypeError: An op is compared with a block.

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
        msg = f"cannot compare {type(a).__name__} with {type(b).__name__}"
        raise TypeError(msg)

    def is_before(self, a: Operation, b: Operation) -> bool:
        """Return whether `a` stands before `b` in the same block.

        The order of a block is counted once; ops that were added make it be counted again.

        Source: `mlir::Operation::isBeforeInBlock`, MLIR 22.
        """
        block = a.parent
        if block is None or b.parent is not block:
            return False
        order = self._orders.get(block)
        if order is None or a not in order or b not in order:
            order = self._orders[block] = {op: place for place, op in enumerate(block.ops)}
        return order[a] < order[b]

    def _op_dominates(self, a: Operation, b: Operation, *, enclosing: bool) -> bool:
        block = a.parent
        if block is None or b.parent is None:
            return False
        if a is b:
            return not _is_ordered(block)
        region = block.parent
        if region is not b.parent.parent:
            inner = None if region is None else _ancestor_op(region, b)
            if inner is None:
                return False
            if inner is a and enclosing:
                return True
            b = inner
        other = b.parent
        if block is other:
            return not _is_ordered(block) or self._goes_first(a, b)
        return (
            region is not None and other is not None and self.tree(region).dominates(block, other)
        )

    def _block_dominates(self, a: Block, b: Block) -> bool:
        if a is b:
            return not _is_ordered(a)
        region = a.parent
        if region is not b.parent:
            inner = None if region is None else _ancestor_block(region, b)
            if inner is None:
                return False
            if inner is a:
                return True
            b = inner
        return region is not None and self.tree(region).dominates(a, b)

    def _tree_of(self, block: Block) -> DominatorTree[Block]:
        region = block.parent
        if region is None:
            msg = "the block is in no region"
            raise ValueError(msg)
        return self.tree(region)

    def _build(self, region: Region) -> DominatorTree[Block]:
        raise NotImplementedError

    def _goes_first(self, a: Operation, b: Operation) -> bool:
        raise NotImplementedError


class DominanceInfo(_Dominance):
    """Dominance: which ops have run, and which values are defined, before others.

    Covers any number of blocks and nested regions. A region's tree is built when it is first
    asked for, in close to linear time, and an order of ops per block; queries cost O(1) then,
    and O(depth) across regions. Valid while no block and no terminator changes, and no op
    is moved within its block.

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
        """Return whether any path leads to a block from the entry of its region."""
        region = block.parent
        return region is not None and (region.first_block is block or block in self.tree(region))

    def _build(self, region: Region) -> DominatorTree[Block]:
        entry = region.first_block
        return DominatorTree(() if entry is None else (entry,), successors_of)

    def _goes_first(self, a: Operation, b: Operation) -> bool:
        return self.is_before(a, b)


class PostDominanceInfo(_Dominance):
    """Post-dominance: which ops run after others, if these terminate.

    The same questions as of `DominanceInfo`, asked backwards: `a` dominates `b` here if every
    path from `b` to an end of the region passes `a`. Loops without an end are taken to end at
    the block that is furthest away.

    Source: `mlir/lib/IR/Dominance.cpp` and `llvm/Support/GenericDomTreeConstruction.h`.
    """

    def _build(self, region: Region) -> DominatorTree[Block]:
        predecessors: dict[Block, list[Block]] = {block: [] for block in region.blocks}
        for block in region.blocks:
            for successor in successors_of(block):
                predecessors[successor].append(block)
        return DominatorTree(_ends(predecessors), predecessors.__getitem__)

    def _goes_first(self, a: Operation, b: Operation) -> bool:
        return self.is_before(b, a)


def successors_of(block: Block) -> Sequence[Block]:
    """Return where control can go after a block."""
    last = block.last_op
    return () if last is None else last._successors


def _ends(predecessors: dict[Block, list[Block]]) -> list[Block]:
    """Return blocks without successors, and one of each loop that is never left."""
    ends = [block for block in predecessors if not successors_of(block)]
    covered = set(_reach(ends, predecessors))
    extra: list[Block] = []
    for block in predecessors:
        if block in covered:
            continue
        (*_, furthest) = _reach([block], {b: successors_of(b) for b in predecessors})
        extra.append(furthest)
        covered.update(_reach([furthest], predecessors))
    return ends + extra


def _reach(
    roots: Iterable[Block], edges: dict[Block, list[Block]] | dict[Block, Sequence[Block]]
) -> list[Block]:
    order: list[Block] = []
    seen: set[Block] = set()
    stack = list(roots)[::-1]
    while stack:
        block = stack.pop()
        if block not in seen:
            seen.add(block)
            order.append(block)
            stack.extend(reversed(edges[block]))
    return order


def _is_ordered(block: Block) -> bool:
    return block.parent is None or has_ssa_dominance(block.parent)


def _block_around(block: Block) -> Block | None:
    owner = block.parent_op()
    return None if owner is None else owner.parent


def _ancestor_op(region: Region, op: Operation) -> Operation | None:
    place: Operation | None = op
    while place is not None and (place.parent is None or place.parent.parent is not region):
        place = place.parent_op()
    return place


def _ancestor_block(region: Region, block: Block) -> Block | None:
    place: Block | None = block
    while place is not None and place.parent is not region:
        place = _block_around(place)
    return place
