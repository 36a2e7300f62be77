"""Loop-invariant code motion, as a pass with MLIR's name and a pass with xDSL's name."""

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
"""The division ops that xDSL declares pure, although they trap on some operands."""


class LoopInvariantCodeMotion(Pass["Operation"]):
    """Hoist loop-invariant instructions out of `scf.for`.

    The body of a loop may never run, so the pass hoists only ops that have no side effects and
    cannot trap. A division is hoisted only if the divisor is a constant that rules out a trap.

    Source: `mlir/lib/Transforms/LoopInvariantCodeMotion.cpp`, MLIR 22, and xDSL's `licm`.
    """

    name = "loop-invariant-code-motion"
    ir = "xdsl"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Hoist loop-invariant ops, starting with the innermost loops."""
        loops = [inner for inner in op.walk(region_first=True) if isinstance(inner, ForOp)]
        hoisted = [_hoist_from(loop, ctx) for loop in loops]
        if not any(hoisted):
            ctx.preserve_all()


class Licm(LoopInvariantCodeMotion):
    """Hoist loop-invariant instructions out of `scf.for`, like `loop-invariant-code-motion`."""

    name = "licm"


def _hoist_from(loop: ForOp, ctx: PassContext) -> bool:
    """Move loop-invariant ops before the loop, and return whether any op was moved."""
    region, home = loop.body, loop.parent
    if home is None:
        return False
    worklist = deque(region.block.ops)
    hoisted = False
    while worklist:
        op = worklist.popleft()
        if op.parent_region() is not region or _obstacle(op):
            continue
        if not can_be_hoisted(op, region):
            continue
        op.detach()
        home.insert_op_before(op, loop)
        hoisted = True
        ctx.remark.passed("hoisted", op, op=op.name)
        worklist += (use.operation for result in op.results for use in result.uses)
    if ctx.remark:
        for op in region.block.ops:
            if (reason := _obstacle(op)) and op.next_op is not None and can_be_hoisted(op, region):
                ctx.remark.missed("hoisted", op, reason=reason, op=op.name)
    return hoisted


def _obstacle(op: Operation) -> str:
    """Return why an op must not be hoisted, or an empty string if it may be hoisted."""
    if not is_side_effect_free(op):
        return "the op may have side effects"
    if not is_speculatable(op):
        return "if hoisted, the op may have undefined behavior where the loop never runs"
    if any(isinstance(inner, _DIVISIONS) and _may_trap(inner) for inner in op.walk()):
        return "if hoisted, the division may trap where the loop never runs"
    return ""


def _may_trap(division: CeilDivSIOp | FloorDivSIOp | RemSIOp | RemUIOp) -> bool:
    divisor = ConstantLike.get_constant_value(division.rhs)
    if not isa(divisor, IntegerAttr):
        return True
    overflows = divisor.value.data == -1 and not isinstance(division, RemUIOp)
    return divisor.value.data == 0 or overflows
