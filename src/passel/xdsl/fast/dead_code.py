"""Erasing of ops that have no effect beyond their results, where these are unused.

Erased is what xDSL's `region_dce` erases, and in its order; found in one walk, where that
repeats walks over everything until none finds an op alive that the one before did not.
"""
# pyright: reportPrivateUsage=false
# The walks follow xDSL's private links, and know ops by address: xDSL hashes in Python.

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import OpResult
from xdsl.transforms.dead_code_elimination import region_dce

from passel.xdsl.fast.rewriting import ClassTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Block, Operation, Region
    from xdsl.pattern_rewriter import PatternRewriterListener


def erase_dead_code(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Erase dead ops and unreachable blocks in a region, and return whether there were any.

    Where an op may answer by code that is not xDSL's, xDSL's own function does that, as it may
    matter how often an op is asked.

    Args:
        region: Where to look.
        listener: Told of ops that are erased one by one, before they are.
    """
    search = _Search()
    if not search.run(region):
        return region_dce(region, listener)
    if not search.dead and not search.lost:
        return False
    _erase(region, search, listener)
    return True


class _Search:
    """Looks for what is dead.

    Attributes:
        dead: Ops on which nothing depends that has effects, by address.
        lost: Blocks that cannot be reached, or are empty, by address.
    """

    def __init__(self) -> None:
        self.dead: set[int] = set()
        self.lost: set[int] = set()
        self._classes = ClassTable()

    def run(self, root: Region) -> bool:
        """Look at all that is nested in a region, and return whether all of it is known."""
        classes, dead = self._classes, self.dead
        alive: list[Operation] = []
        unsure: list[Operation] = []
        regions = [root]
        for region in regions:
            for block in self._reached(region):
                op = block.first_op
                while op is not None:
                    facts = classes[type(op)]
                    if not facts.is_known:
                        return False
                    if facts.erasable is False:
                        alive.append(op)
                    else:
                        dead.add(id(op))
                        if facts.erasable is None:
                            unsure.append(op)
                    if op.regions:
                        regions += op.regions
                    op = op._next_op
        self._keep(alive)
        # Most ops are needed by others: few are left to be asked.
        for op in unsure:
            if id(op) in dead and not self._classes.may_erase(op):
                dead.remove(id(op))
                self._keep([op])
        return True

    def _keep(self, alive: list[Operation]) -> None:
        """Take out of what seems to be dead all that ops depend on which are not."""
        dead = self.dead
        for op in alive:  # grows while it is read
            for operand in op._operands:
                if isinstance(operand, OpResult) and id(operand.op) in dead:
                    dead.remove(id(operand.op))
                    alive.append(operand.op)

    def _reached(self, region: Region) -> Sequence[Block]:
        """Return the blocks of a region that can be reached, and take note of the others."""
        first = region.first_block
        if first is None:
            return ()
        if first is region.last_block:
            return (first,)
        blocks = {first: None}
        todo = [first]
        for block in todo:  # grows while it is read
            last = block.last_op
            if last is not None and self._classes[type(last)].ends_blocks:
                todo += [each for each in last._successors if each not in blocks]
                blocks |= dict.fromkeys(last._successors)
        self.lost.update(
            id(block)
            for block in region.blocks
            if block not in blocks or (block.first_op is None and block is not first)
        )
        return list(blocks)


def _erase(region: Region, search: _Search, listener: PatternRewriterListener | None) -> None:
    """Erase what is dead in a region, last first."""
    dead, first, block = search.dead, region.first_block, region.last_block
    while block is not None:
        before = block.prev_block
        if block is not first and (
            id(block) in search.lost or all(id(op) in dead for op in block.ops)
        ):
            region.erase_block(block, safe_erase=False)
            block = before
            continue
        op = block.last_op
        while op is not None:
            previous = op.prev_op
            if id(op) not in dead:
                for inner in op.regions:
                    _erase(inner, search, listener)
            else:
                if listener is not None:
                    listener.handle_operation_removal(op)
                block.erase_op(op, safe_erase=False)
            op = previous
        block = before
