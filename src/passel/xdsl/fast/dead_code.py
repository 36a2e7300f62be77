"""Fast dead code elimination.

`erase_dead_code` erases the same ops as xDSL's `region_dce`, in the same order. xDSL finds the live
ops by walking all ops until a walk finds no more. `erase_dead_code` walks the ops once, and from
then on follows operands.
"""
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows ops by address: xDSL hashes in Python.

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir.post_order import PostOrderIterator
from xdsl.transforms.dead_code_elimination import LiveSet, region_dce

from passel.xdsl.fast.rewriting import ClassTable

if TYPE_CHECKING:
    from xdsl.ir import Operation, Region
    from xdsl.pattern_rewriter import PatternRewriterListener


def erase_dead_code(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Erase dead ops and unreachable blocks in a region, and return whether the region changed.

    If an op may run code from a package other than xDSL, the function calls xDSL's `region_dce`
    instead. Code from other packages may depend on how often it is called.

    Args:
        region: The region to simplify.
        listener: The listener that is notified before each op is erased. The listener is not
            notified of ops inside an erased op or block.
    """
    classes = ClassTable()
    live: list[Operation] = []
    rest: dict[int, Operation] = {}
    regions, is_clean = [region], True
    for each in regions:  # grows while it is read
        if (first := each.first_block) is None:
            continue
        blocks = [first]
        if first is not each.last_block:
            blocks = [*PostOrderIterator(first)]
            is_clean = is_clean and len(blocks) == len(each.blocks)
        for block in blocks:
            op = block.first_op
            is_clean = is_clean and op is not None
            while op is not None:
                facts = classes[type(op)]
                if not facts.is_known:
                    return region_dce(region, listener)
                if facts.erasable is False:
                    live.append(op)
                else:
                    rest[id(op)] = op
                regions += op.regions
                op = op._next_op
    live = _with_operands(live, rest, classes)
    if is_clean and not rest:
        return False
    found = LiveSet()
    for op in live:
        found.set_live(op)
    found.changed = False
    found.delete_dead(region, listener)
    return found.changed


def _with_operands(
    live: list[Operation], rest: dict[int, Operation], classes: ClassTable
) -> list[Operation]:
    """Return live ops with what is live on closer examination: `rest` keeps the dead ops.

    An op is live if it cannot be erased, or if a live op has it as an operand.
    """
    found: list[Operation] = []
    while True:
        for op in live:  # grows while it is read
            for operand in op._operands:
                needed = rest.pop(id(operand.owner), None)
                if needed is not None:
                    live.append(needed)
        found += live
        live = [rest.pop(id(op)) for op in [*rest.values()] if not classes.may_erase(op)]
        if not live:
            return found
