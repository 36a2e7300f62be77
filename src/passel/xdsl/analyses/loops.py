"""Natural loops of control flow graphs, and loop ops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passel.xdsl.analyses.dominance import DominanceInfo, successors_of

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, Region

    from passel.analysis import AnalysisManager, PreservedAnalyses

_LOOP_OPS = frozenset(
    {"affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while"}
)


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop, or the loop that a loop op such as `scf.for` represents.

    Attributes:
        header: The block at the start of each iteration.
        blocks: The blocks of the loop in program order, without blocks nested in ops of the loop.
        latches: The blocks that end an iteration. In a natural loop, the latches branch to the
            header.
        exits: The blocks outside the loop that are successors of blocks in the loop. For a loop op,
            the only exit is the block that contains the op.
        preheader: The header's only predecessor outside the loop, or None if there is no such block
            or if the block has other successors. For a loop op, the preheader is the block that
            contains the op.
        op: The loop op, or None for a natural loop.
        parent: The innermost enclosing loop, or None for an outermost loop.
        children: The loops immediately inside the loop, in program order.
    """

    header: Block
    blocks: tuple[Block, ...]
    latches: tuple[Block, ...]
    exits: tuple[Block, ...]
    preheader: Block | None
    op: Operation | None
    parent: Loop | None = field(compare=False)
    children: list[Loop] = field(default_factory=list["Loop"], init=False, compare=False)

    @property
    def depth(self) -> int:
        """The nesting depth of the loop, which is 1 for an outermost loop."""
        depth, loop = 1, self.parent
        while loop is not None:
            depth, loop = depth + 1, loop.parent
        return depth


@dataclass(init=False, repr=False)
class LoopInfo:
    """The natural loops and loop ops inside an op.

    A back edge leads from a block to a dominator of the block: the header of a loop. A natural loop
    consists of the header and the blocks that reach a back edge without passing through the header.
    All back edges to a header belong to one loop. Cycles with several entries are not loops.
    Construction takes O(ops + edges * depth). The analysis is valid as long as `DominanceInfo` is
    valid and no block, terminator or loop changes.

    Attributes:
        op: The analyzed op.
        loops: All loops, with an enclosing loop before the loops inside it.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> from passel.analysis import AnalysisManager
        >>> LoopInfo(module := ModuleOp([]), None).loops
        []

    Source: `mlir::CFGLoopInfo`, MLIR 22, and `llvm/Support/GenericLoopInfoImpl.h`. Loop ops
        follow `mlir/Interfaces/LoopLikeInterface.td`.
    """

    op: Operation
    loops: list[Loop]
    _innermost: dict[Block, Loop | None]

    def __init__(self, op: Operation, analyses: AnalysisManager | None) -> None:
        """Find all loops inside an op.

        Args:
            op: The op to analyze.
            analyses: The analysis manager that provides `DominanceInfo`. If None, the dominance of
                `op` is computed.
        """
        self.op = op
        self.loops = []
        self._innermost = {}
        dominance = DominanceInfo(op) if analyses is None else analyses.analysis(DominanceInfo)
        for owner in op.walk():
            enclosing = None if owner is op else self.enclosing_loop(owner)
            if owner.name in _LOOP_OPS and owner.regions and owner.regions[0].blocks:
                enclosing = self._add(_loop_of(owner, enclosing))
            for region in owner.regions:
                self._innermost |= dict.fromkeys(region.blocks, enclosing)
                self._find(region, dominance)

    @property
    def top_level(self) -> list[Loop]:
        """The outermost loops."""
        return [loop for loop in self.loops if loop.parent is None]

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Return whether a pass did not preserve `LoopInfo` or `DominanceInfo`."""
        return not (preserved.is_preserved(LoopInfo) and preserved.is_preserved(DominanceInfo))

    def loop_of(self, block: Block) -> Loop | None:
        """Return the innermost loop that contains a block at any depth, or None."""
        return self._innermost.get(block)

    def enclosing_loop(self, op: Operation) -> Loop | None:
        """Return the innermost loop around an op, not counting the op's own loop."""
        return None if op.parent is None else self._innermost.get(op.parent)

    def _add(self, loop: Loop) -> Loop:
        if loop.parent is not None:
            loop.parent.children.append(loop)
        self.loops.append(loop)
        return loop

    def _find(self, region: Region, dominance: DominanceInfo) -> None:
        """Find the natural loops of a region, outer ones first, as they have more blocks."""
        if region.first_block is region.last_block:
            return
        before = {
            block: [each for each in block.predecessors() if dominance.is_reachable(each)]
            for block in region.blocks
        }
        bodies: dict[Block, tuple[Block, ...]] = {}
        for header in region.blocks:
            latches = [block for block in before[header] if dominance.dominates(header, block)]
            if latches:
                bodies[header] = _natural_body(header, latches, before)
        # A stable sort: the header of a loop's loop has been seen when the loop's turn comes.
        for header in sorted(bodies, key=lambda header: -len(bodies[header])):
            parent = self._innermost[header]
            loop = self._add(_natural_loop(header, bodies[header], before[header], parent))
            self._innermost |= dict.fromkeys(loop.blocks, loop)


def _loop_of(op: Operation, parent: Loop | None) -> Loop:
    blocks = tuple(block for region in op.regions for block in region.blocks)
    latches = tuple(block for block in op.regions[-1].blocks if not successors_of(block))
    outside = () if op.parent is None else (op.parent,)
    return Loop(blocks[0], blocks, latches, outside, op.parent, op, parent)


def _natural_body(
    header: Block, latches: list[Block], before: dict[Block, list[Block]]
) -> tuple[Block, ...]:
    inside = {header}
    worklist = latches
    while worklist:
        block = worklist.pop()
        if block not in inside:
            inside.add(block)
            worklist += before[block]
    return tuple(block for block in before if block in inside)


def _natural_loop(
    header: Block, blocks: tuple[Block, ...], before: list[Block], parent: Loop | None
) -> Loop:
    inside = set(blocks)
    latches = tuple(block for block in blocks if header in successors_of(block))
    targets = dict.fromkeys(target for block in blocks for target in successors_of(block))
    exits = tuple(target for target in targets if target not in inside)
    entering = set(before) - inside
    leading_here = [block for block in entering if set(successors_of(block)) == {header}]
    preheader = leading_here[0] if len(entering) == len(leading_here) == 1 else None
    return Loop(header, blocks, latches, exits, preheader, None, parent)
