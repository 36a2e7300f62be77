"""Analysis of MLIR's ops, created by `ctx.analysis(DominanceInfo)` or `DominanceInfo(op)`."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar

from passel.analysis.dominator_tree import DominatorTree, RegionDominance
from passel.mlir.bindings import bindings_of, block_of

_GRAPH_REGION_OPS = frozenset(
    {
        "builtin.module",
        "emitc.class",
        "emitc.file",
        "gpu.module",
        "hw.module",
        "irdl.dialect",
        "ml_program.subgraph",
    }
)
"""The names of ops with graph regions, because the bindings cannot query `RegionKindInterface`."""


class DominanceInfo(RegionDominance[Any]):
    """The dominance relation between the ops, blocks and values inside an op.

    The analysis supports regions with several blocks, and nested regions. The first query about a
    region builds the region's dominator tree in nearly linear time. Later queries about the region
    take O(1) time. Queries across nested regions take O(nesting depth) time. The analysis remains
    valid until a region gains or loses a block, or the successors of a block change.

    Example:
        >>> from mlir.ir import Context, Module
        >>> module = Module.parse(
        ...     '''func.func @f(%a: i32) {
        ...   %b = arith.addi %a, %a : i32
        ...   %c = arith.addi %b, %a : i32
        ...   return }''',
        ...     context=Context(),
        ... )
        >>> (function,) = module.body.operations
        >>> b, c, _ = function.regions[0].blocks[0].operations
        >>> dominance = DominanceInfo(function)
        >>> dominance.properly_dominates(b.result, c), dominance.dominates(c, b)
        (True, False)

    Source: `mlir/lib/IR/Dominance.cpp`, MLIR 22.
    """

    _block_of = staticmethod(block_of)
    _owner_of = attrgetter("owner.operation")
    _region_of = attrgetter("region")

    def __init__(self, op: Any) -> None:
        """Create the analysis, whose queries build the dominator trees of regions on demand."""
        self._bindings = bindings_of(op)
        self._op = op.operation
        # By entry block: regions have no identity in the bindings.
        self._trees: dict[Any, DominatorTree[Any]] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two analyses have equal dominator trees.

        The comparison is limited to existing regions for which either analysis has built a tree.
        """
        if not isinstance(other, DominanceInfo):
            return NotImplemented
        # Blocks of erased ops may not even be asked for their regions.
        regions = [each for op in self._bindings.walk(self._op) for each in op.operation.regions]
        known = {*self._trees, *other._trees}
        return all(self.tree(each) == other.tree(each) for each in regions if _entry(each) in known)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def tree(self, region: Any) -> DominatorTree[Any]:
        """Return the dominator tree of a region's blocks."""
        entry = _entry(region)
        if entry not in self._trees:
            roots = () if entry is None else (entry,)
            self._trees[entry] = DominatorTree(roots, lambda block: list(block.successors))
        return self._trees[entry]

    def is_reachable(self, block: Any) -> bool:
        """Return whether a block is reachable from the entry block of the enclosing region."""
        return block in self.tree(block.region)

    def dominates(self, a: Any, b: Any) -> bool:
        """Return whether `a` equals `b` or properly dominates `b`."""
        a, b = (getattr(each, "operation", each) for each in (a, b))
        return (type(a) is type(b) and a == b) or self.properly_dominates(a, b)

    def properly_dominates(self, a: Any, b: Any) -> bool:
        """Return whether control always passes through `a` before it reaches `b`.

        * An op dominates all later ops in its block, all ops in the blocks that its block
          dominates, and everything nested in these ops. An op also dominates the ops nested inside
          the op itself, but the op's results do not dominate these nested ops. In a graph region,
          every op dominates all ops of the region, including itself.
        * A block dominates all blocks nested in its ops. Every block dominates the unreachable
          blocks of its region.
        * A block argument dominates all ops in its block, and all ops in the blocks that its block
          dominates. If `a` is a value, `b` must be an op.

        Raises:
            TypeError: If `a` and `b` cannot be compared, for example because `a` is an op and `b`
                is a block.

        Source: `mlir::DominanceInfo::properlyDominates`, MLIR 22.
        """
        ir = self._bindings.ir
        if isinstance(a, ir.Block) and isinstance(b, ir.Block):
            return self._block_dominates(a, b)
        if hasattr(b, "operation"):
            if isinstance(a, ir.BlockArgument):
                block = block_of(b)
                return block is not None and (
                    a.owner == block or self._block_dominates(a.owner, block)
                )
            if isinstance(a, ir.Value):
                return self._op_dominates(a.owner.operation, b.operation, enclosing=False)
            if hasattr(a, "operation"):
                return self._op_dominates(a.operation, b.operation, enclosing=True)
        msg = f"cannot compare {type(a).__name__} with {type(b).__name__}"
        raise TypeError(msg)

    def is_before(self, a: Any, b: Any) -> bool:
        """Return whether the ops `a` and `b` are in the same block, and `a` precedes `b`.

        Source: `mlir::Operation::isBeforeInBlock`, MLIR 22.
        """
        block, other = block_of(a), block_of(b)
        if block is None or other is None or block != other:
            return False
        return a.operation != b.operation and a.operation.is_before_in_block(b.operation)

    def _is_ordered(self, block: Any) -> bool:
        """Return whether values in a block's region must be defined before they are used.

        The order matters in every region with several blocks. In a region with one block, the order
        matters unless the enclosing op has graph regions or is unregistered.

        Source: `mlir::detail::DominanceInfoBase::hasSSADominance`, MLIR 22.
        """
        if len(list(block.region)) > 1:
            return True
        owner = block.owner.operation
        return owner.name not in _GRAPH_REGION_OPS and bool(
            owner.context.is_registered_operation(owner.name)
        )


def _entry(region: Any) -> Any:
    return next(iter(region), None)
