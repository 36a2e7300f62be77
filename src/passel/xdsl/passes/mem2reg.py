"""Promotion of memory to values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.memref import AllocaOp
from xdsl.transforms.dead_code_elimination import region_dce

from passel.passes import Pass, Statistic, option
from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
from passel.xdsl.passes.memory_slots import Slot
from passel.xdsl.versions import POISON_DIALECT

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.passes import PassContext


class Mem2Reg(Pass["Operation"]):
    """Promote memory slots into values.

    Promoted is a `memref.alloca` of a single element, if all that happens to it are
    `memref.load` and `memref.store` in the alloca's own region, in any number of blocks. Where
    paths with different values meet, a block argument holds the value; what is read before it
    is written is `ub.poison`. A slot that is written in the alloca's region only may be
    read inside of nested `scf` ops, which MLIR 22 leaves alone.

    Example:
        >>> from xdsl.builder import Builder, InsertPoint
        >>> from xdsl.dialects import arith, func, memref
        >>> from xdsl.dialects.builtin import i32
        >>> from passel import PassManager
        >>> f = func.FuncOp("f", ([i32], [i32]))
        >>> build = Builder(InsertPoint.at_end(f.body.block))
        >>> slot = build.insert(memref.AllocaOp.get(i32, shape=[]))
        >>> store = build.insert(memref.StoreOp.get(f.args[0], slot, []))
        >>> load = build.insert(memref.LoadOp.get(slot, []))
        >>> end = build.insert(func.ReturnOp(load))
        >>> _ = PassManager("func.func").add(Mem2Reg()).run(f)
        >>> print(f)
        func.func @f(%0: i32) -> i32 {
          func.return %0 : i32
        }

    Source: `mlir/lib/Transforms/Mem2Reg.cpp`, MLIR 22; Cytron et al., "Efficiently computing
    static single assignment form and the control dependence graph", TOPLAS 1991.
    """

    name = "mem2reg"
    can_fork = True
    ir = "xdsl"
    dependent_dialects: ClassVar[tuple[str, ...]] = (POISON_DIALECT,)
    region_simplify: bool = option(
        default=True, help="Erase dead ops and unreachable blocks where slots were promoted."
    )
    promoted: ClassVar[Statistic] = Statistic(
        "Total amount of memory slot promoted", name="promoted slots"
    )
    arguments: ClassVar[Statistic] = Statistic(
        "Total amount of new block argument inserted in blocks", name="new block args"
    )

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Promote the slots in `op`, one by one, until none is left that can be."""
        allocas = [inner for inner in op.walk() if isinstance(inner, AllocaOp)]
        slots = [slot for alloca in allocas if (slot := Slot.of(alloca)) is not None]
        if not slots:
            ctx.preserve_all()
            return
        dominance = ctx.analysis(DominanceInfo)
        for slot in slots:
            ctx.count(self.promoted)
            ctx.count(self.arguments, slot.promote(dominance))
        # Branches pass more values now, and lead where they led.
        if not self.region_simplify:
            ctx.preserve(DominanceInfo, PostDominanceInfo)
            return
        for region in op.regions:
            region_dce(region)
