"""Fast dead code elimination.

`erase_dead_code` erases the same ops as xDSL's `region_dce`, in the same order. `erase_dead_code`
finds the dead ops in one walk, while `region_dce` walks the ops repeatedly until a walk finds no
more live ops.
"""
# pyright: reportPrivateUsage=false
# The walks follow xDSL's private links, and know ops by address: xDSL hashes in Python.

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.transforms.dead_code_elimination import region_dce

from passel.xdsl.fast.rewriting import ClassTable

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, Region
    from xdsl.pattern_rewriter import PatternRewriterListener


def erase_dead_code(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Erase dead ops and unreachable blocks in a region, and return whether the region changed.

    If a block has no terminator, or if an op may run code from a package other than xDSL, the
    function calls xDSL's `region_dce` instead. Code from other packages may depend on how often it
    is called.

    Args:
        region: The region to simplify.
        listener: The listener that is notified before each op is erased. The listener is not
            notified of ops inside an erased op or block.
    """
    try:
        dead = _find_dead(region, ClassTable())
    except _UnknownError:
        return region_dce(region, listener)
    if dead:
        _erase(region, dead, listener)
    return bool(dead)


class _UnknownError(Exception):
    """Raised if an op may run code of another package, or if a block has no terminator."""


def _find_dead(root: Region, classes: ClassTable) -> dict[int, Operation | Block]:
    """Return the dead ops and unreachable blocks, by address."""
    found: dict[int, Operation | Block] = {}
    dead: dict[int, Operation] = {}
    alive: list[Operation] = []
    regions = [root]
    for region in regions:
        reachable = _reachable(region, classes)
        found |= {id(each): each for each in region.blocks if each not in reachable}
        for block in reachable:
            op = block.first_op
            while op is not None:
                facts = classes[type(op)]
                if not facts.is_known:
                    raise _UnknownError
                if facts.erasable is False:
                    alive.append(op)
                else:
                    dead[id(op)] = op
                regions += op.regions
                op = op._next_op
    _keep(alive, dead, classes)
    return found | dead


def _keep(alive: list[Operation], dead: dict[int, Operation], classes: ClassTable) -> None:
    """Remove ops that cannot be erased, and the transitive operands of live ops, from `dead`."""
    while True:
        for op in alive:  # grows while it is read
            for operand in op._operands:
                needed = dead.pop(id(operand.owner), None)
                if needed is not None:
                    alive.append(needed)
        alive = [dead.pop(id(op)) for op in [*dead.values()] if not classes.may_erase(op)]
        if not alive:
            return


def _reachable(region: Region, classes: ClassTable) -> dict[Block, None]:
    """Return the reachable blocks of a region."""
    first = region.first_block
    todo = [] if first is None else [first]
    reached = dict.fromkeys(todo)
    for block in todo if first is not region.last_block else ():  # grows while it is read
        last = block.last_op
        if last is None or not classes[type(last)].ends_blocks:
            raise _UnknownError
        todo += [each for each in last._successors if each not in reached]
        reached |= dict.fromkeys(last._successors)
    return reached


def _erase(
    region: Region, dead: dict[int, Operation | Block], listener: PatternRewriterListener | None
) -> None:
    """Erase the dead ops and blocks of a region, last first."""
    for block in reversed(region.blocks):
        if id(block) in dead:
            region.erase_block(block, safe_erase=False)
            continue
        for op in reversed(block.ops):
            if id(op) not in dead:
                for inner in op.regions:
                    _erase(inner, dead, listener)
            else:
                if listener is not None:
                    listener.handle_operation_removal(op)
                block.erase_op(op, safe_erase=False)
