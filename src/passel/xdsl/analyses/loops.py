"""Loops: natural ones of control flow graphs, and ops that are loops."""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from passel.xdsl.analyses.dominance import DominanceInfo, successors_of

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, Region, SSAValue

    from passel.analysis import AnalysisManager, PreservedAnalyses

_LOOP_OPS = {
    "affine.for": 1,
    "affine.parallel": None,
    "scf.for": 1,
    "scf.forall": None,
    "scf.parallel": None,
    "scf.while": 0,
}
"""Ops that are loops, and how many leading block arguments count iterations; None if all."""


@dataclass(eq=False, slots=True)
class Loop:
    """A loop.

    Attributes:
        header: The block that every iteration starts with.
        blocks: The loop's own blocks in program order, not those nested in ops.
        op: The op that is the loop; None for one made of branches.
        latches: The blocks that end an iteration; of branches, those that lead to the header.
        exits: The blocks outside that are reached from inside; of an op, the block it is in.
        preheader: The only block from outside that leads to the header, and nowhere else; of
            an op, the block it is in. None if there is no such block.
        parent: The innermost loop around.
        children: The loops immediately inside, outer ones in program order.
    """

    header: Block
    blocks: tuple[Block, ...]
    op: Operation | None = None
    latches: tuple[Block, ...] = ()
    exits: tuple[Block, ...] = ()
    preheader: Block | None = None
    parent: Loop | None = None
    children: list[Loop] = field(default_factory=list["Loop"])

    @property
    def depth(self) -> int:
        """How many loops there are here, one inside the other: 1 for an outermost one."""
        depth, loop = 1, self.parent
        while loop is not None:
            depth, loop = depth + 1, loop.parent
        return depth

    @property
    def induction_variables(self) -> tuple[SSAValue, ...]:
        """Induction variable, if the loop is an op that names it."""
        if self.op is None:
            return ()
        return tuple(self.header.args[: _LOOP_OPS[self.op.name]])


class LoopInfo:
    """The loops inside an op, those made of branches and those that are ops.

    A natural loop is the set of blocks from which a back edge (one to a dominating block) is
    reached without passing its header; back edges to one header make one loop. What is
    entered at several places is no loop. Valid while no block, terminator or loop changes,
    and `DominanceInfo` is. Built in O(ops + edges * depth).

    Attributes:
        loops: All loops, each after those around it.
        top_level: The outermost loops.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> from passel.analysis import AnalysisManager
        >>> LoopInfo(module := ModuleOp([]), None).loops
        []

    Source: `mlir::CFGLoopInfo`, MLIR 22, and `llvm/Support/GenericLoopInfoImpl.h`; loops that
        are ops as in `mlir/Interfaces/LoopLikeInterface.td`.
    """

    def __init__(self, op: Operation, analyses: AnalysisManager | None) -> None:
        """Find all loops.

        Args:
            op: The op.
            analyses: Where to take dominance from; it is computed here if this is None.
        """
        self.op = op
        self.loops: list[Loop] = []
        self._innermost: dict[Block, Loop | None] = {}
        dominance = DominanceInfo(op) if analyses is None else analyses.analysis(DominanceInfo)
        for owner in op.walk():
            around = None if owner is op else self.loop_around(owner)
            if owner.name in _LOOP_OPS and owner.regions and owner.regions[0].blocks:
                around = self._add(_loop_of(owner), around)
            for region in owner.regions:
                self._find(region, around, dominance)
        self.top_level: list[Loop] = [loop for loop in self.loops if loop.parent is None]

    def __eq__(self, other: object) -> bool:
        """Return whether the same blocks make the same loops, nested in the same way."""
        if not isinstance(other, LoopInfo):
            return NotImplemented
        return self._facts() == other._facts()

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _facts(self) -> tuple[object, object]:
        """Return what is known of each loop and block, with loops by their number."""
        numbers: dict[Loop | None, int] = {loop: index for index, loop in enumerate(self.loops)}
        loops = [
            (each.header, each.blocks, each.op, each.latches, each.exits, each.preheader)
            for each in self.loops
        ]
        parents = [numbers.get(loop.parent) for loop in self.loops]
        innermost = {block: numbers.get(loop) for block, loop in self._innermost.items()}
        return (loops, parents), innermost

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Return whether this or dominance was not preserved."""
        return not (preserved.is_preserved(LoopInfo) and preserved.is_preserved(DominanceInfo))

    def loop_of(self, block: Block) -> Loop | None:
        """Return the innermost loop that a block is in, at any depth."""
        return self._innermost.get(block)

    def loop_around(self, op: Operation) -> Loop | None:
        """Return the innermost loop that an op is in; a loop is not in itself."""
        return None if op.parent is None else self._innermost.get(op.parent)

    def _add(self, loop: Loop, parent: Loop | None) -> Loop:
        loop.parent = parent
        if parent is not None:
            parent.children.append(loop)
        self.loops.append(loop)
        return loop

    def _find(self, region: Region, around: Loop | None, dominance: DominanceInfo) -> None:
        """Find the natural loops of a region; outer ones have more blocks and come first."""
        for block in region.blocks:
            self._innermost[block] = around
        if region.first_block is region.last_block:
            return
        before: dict[Block, list[Block]] = {block: [] for block in region.blocks}
        for block in region.blocks:
            if dominance.is_reachable(block):
                for successor in successors_of(block):
                    before[successor].append(block)
        found: list[Loop] = []
        for header in region.blocks:
            latches = [b for b in before[header] if dominance.dominates(header, b)]
            if latches:
                found.append(_natural_loop(header, tuple(dict.fromkeys(latches)), before))
        # A stable sort: the header of a loop's loop has been seen when the loop's turn comes.
        for loop in sorted(found, key=lambda loop: -len(loop.blocks)):
            self._add(loop, self._innermost[loop.header])
            for block in loop.blocks:
                self._innermost[block] = loop


def _loop_of(op: Operation) -> Loop:
    blocks = tuple(block for region in op.regions for block in region.blocks)
    after = op.regions[-1]
    latches = tuple(block for block in after.blocks if not successors_of(block))
    outside = () if op.parent is None else (op.parent,)
    return Loop(blocks[0], blocks, op, latches, outside, op.parent)


def _natural_loop(
    header: Block, latches: tuple[Block, ...], before: dict[Block, list[Block]]
) -> Loop:
    inside = {header}
    worklist = list(latches)
    while worklist:
        block = worklist.pop()
        if block not in inside:
            inside.add(block)
            worklist += before[block]
    blocks = tuple(block for block in before if block in inside)
    left = (target for block in blocks for target in successors_of(block) if target not in inside)
    entering = {block for block in before[header] if block not in inside}
    preheader = None
    if len(entering) == 1 and len(set(successors_of(next(iter(entering))))) == 1:
        (preheader,) = entering
    return Loop(header, blocks, None, latches, tuple(dict.fromkeys(left)), preheader)
