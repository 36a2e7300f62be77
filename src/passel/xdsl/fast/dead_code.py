"""Erasing of ops that have no effect beyond their results, where these are unused.

Erased is what xDSL's `region_dce` erases, and in its order; found in one walk, where that
repeats walks over everything until none finds an op alive that the one before did not.
"""
# pyright: reportPrivateUsage=false
# The walks follow xDSL's private links, and know ops by address: xDSL hashes in Python.

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import OpResult

from passel.xdsl.fast.effects import may_be_erased
from passel.xdsl.fast.op_classes import ClassTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import Block, Operation, Region
    from xdsl.pattern_rewriter import PatternRewriterListener


def erase_dead_code(
    region: Region,
    listener: PatternRewriterListener | None = None,
    classes: ClassTable | None = None,
) -> bool:
    """Erase dead ops and unreachable blocks in a region, and return whether there were any.

    Args:
        region: Where to look.
        listener: Told of ops that are erased one by one, before they are.
        classes: What is known of classes; found out by default.
    """
    dead, lost = _find_dead(region, ClassTable() if classes is None else classes)
    if not dead and not lost:
        return False
    stack = [_erase(region, dead, lost, listener)]
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
        else:
            stack.append(_erase(inner, dead, lost, listener))
    return True


def _find_dead(region: Region, classes: ClassTable) -> tuple[set[int], set[int]]:
    """Return ops on which nothing depends that has effects, and blocks without any that has.

    Both by address.
    """
    dead: set[int] = set()
    unsure: list[Operation] = []
    lost: set[int] = set()
    alive: list[Operation] = []
    regions = [region]
    for each in regions:
        for block in _reached(each, classes, lost):
            op = block.first_op
            while op is not None:
                erasable = classes[type(op)].erasable
                if erasable is False:
                    alive.append(op)
                else:
                    dead.add(id(op))
                    if erasable is None:
                        unsure.append(op)
                if op.regions:
                    regions += op.regions
                op = op._next_op
    _keep_what_is_needed(alive, dead)
    # Most ops are needed by others: few are left to be asked.
    for op in unsure:
        if id(op) in dead and not may_be_erased(op, classes[type(op)], classes):
            dead.remove(id(op))
            _keep_what_is_needed([op], dead)
    return dead, lost


def _keep_what_is_needed(alive: list[Operation], dead: set[int]) -> None:
    """Take out of what seems to be dead all that ops depend on which are not."""
    for op in alive:  # grows while it is read
        for operand in op._operands:
            if isinstance(operand, OpResult) and id(operand.op) in dead:
                dead.remove(id(operand.op))
                alive.append(operand.op)


def _reached(region: Region, classes: ClassTable, lost: set[int]) -> Sequence[Block]:
    """Return the blocks of a region that can be reached, and take note of the others."""
    first = region.first_block
    if first is None:
        return ()
    if first is region.last_block:
        return (first,)
    blocks = [first]
    reached = {id(first)}
    for block in blocks:  # grows while it is read
        last = block.last_op
        if last is None or not classes[type(last)].ends_blocks:
            continue
        for successor in last._successors:
            if id(successor) not in reached:
                reached.add(id(successor))
                blocks.append(successor)
    lost.update(
        id(block)
        for block in region.blocks
        if id(block) not in reached or (block.first_op is None and block is not first)
    )
    return blocks


def _erase(
    region: Region,
    dead: set[int],
    lost: set[int],
    listener: PatternRewriterListener | None,
) -> Iterator[Region]:
    """Erase what is dead in a region, last first, and yield the regions of ops in between."""
    first, block = region.first_block, region.last_block
    while block is not None:
        before = block.prev_block
        if block is not first and (id(block) in lost or all(id(op) in dead for op in block.ops)):
            region.erase_block(block, safe_erase=False)
            block = before
            continue
        op = block.last_op
        while op is not None:
            previous = op.prev_op
            if id(op) not in dead:
                yield from op.regions
            else:
                if listener is not None:
                    listener.handle_operation_removal(op)
                block.erase_op(op, safe_erase=False)
            op = previous
        block = before
