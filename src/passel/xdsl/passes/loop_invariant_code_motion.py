"""Loop-invariant code motion, under MLIR's name and under xDSL's."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from xdsl.dialects.arith import CeilDivSIOp, FloorDivSIOp, RemSIOp, RemUIOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.scf import ForOp
from xdsl.traits import ConstantLike, is_side_effect_free, is_speculatable
from xdsl.transforms.loop_invariant_code_motion import can_be_hoisted
from xdsl.utils.hints import isa

from passel.passes import Pass

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.passes import PassContext

_DIVISIONS = (CeilDivSIOp, FloorDivSIOp, RemSIOp, RemUIOp)
"""Divisions that xDSL takes to be pure, although they trap on some operands."""


class LoopInvariantCodeMotion(Pass["Operation"]):
    """Hoist loop-invariant instructions out of `scf.for`.

    Hoisted is what has no effect and cannot trap, as a loop may run no iteration at all.
    Divisions are hoisted if their divisor is a constant that rules a trap out.

    Source: `mlir/lib/Transforms/LoopInvariantCodeMotion.cpp`, MLIR 22, and xDSL's `licm`.
    """

    name = "loop-invariant-code-motion"
    can_fork = True
    ir = "xdsl"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Hoist out of inner loops first."""
        loops = [inner for inner in op.walk(region_first=True) if isinstance(inner, ForOp)]
        hoisted = [_hoist_from(loop) for loop in loops]
        if not any(hoisted):
            ctx.preserve_all()


class Licm(LoopInvariantCodeMotion):
    """Hoist loop-invariant instructions out of `scf.for`; xDSL's name for it."""

    name = "licm"


def _hoist_from(loop: ForOp) -> bool:
    """Move what is invariant before the loop, and return whether anything was."""
    region, home = loop.body, loop.parent
    if home is None:
        return False
    worklist = deque(region.block.ops)
    hoisted = False
    while worklist:
        op = worklist.popleft()
        if op.parent_region() is not region or not _is_movable(op):
            continue
        if not can_be_hoisted(op, region):
            continue
        op.detach()
        home.insert_op_before(op, loop)
        hoisted = True
        worklist += (use.operation for result in op.results for use in result.uses)
    return hoisted


def _is_movable(op: Operation) -> bool:
    """Return whether nothing goes wrong if an op runs although the loop does not."""
    if not is_side_effect_free(op) or not is_speculatable(op):
        return False
    return not any(isinstance(inner, _DIVISIONS) and _may_trap(inner) for inner in op.walk())


def _may_trap(division: CeilDivSIOp | FloorDivSIOp | RemSIOp | RemUIOp) -> bool:
    divisor = ConstantLike.get_constant_value(division.rhs)
    if not isa(divisor, IntegerAttr):
        return True
    overflows = divisor.value.data == -1 and not isinstance(division, RemUIOp)
    return divisor.value.data == 0 or overflows
