"""An extension for buffers: every allocation at an address that is a multiple of 128."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel import Pass, PassContext, Statistic
from passel.builder import BUFFERIZATION, LOWERING, after_any, before_first

if TYPE_CHECKING:
    from passel import PassRegistry
    from passel.builder import PipelineBuilder

ALIGNMENT = 128


class _AlignAllocations(Pass):
    """Align allocations more than they ask for."""

    name = "align-allocations"
    constraints = (after_any(BUFFERIZATION), before_first(LOWERING))
    aligned = Statistic("Allocations aligned")


class AlignInMLIR(_AlignAllocations):
    """Align allocations more than they ask for."""

    ir = "mlir"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Give each `memref.alloc` the attribute."""
        from mlir import ir

        def align(inner: Any) -> Any:
            if inner.name == "memref.alloc":
                i64 = ir.IntegerType.get_signless(64)
                inner.attributes["alignment"] = ir.IntegerAttr.get(i64, ALIGNMENT)
                ctx.count(self.aligned)
            return ir.WalkResult.ADVANCE

        with op.context:
            op.operation.walk(align)


class AlignInXDSL(_AlignAllocations):
    """Align allocations more than they ask for."""

    ir = "xdsl"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Give each `memref.alloc` the attribute."""
        from xdsl.dialects.builtin import IntegerAttr, i64
        from xdsl.dialects.memref import AllocOp

        for inner in op.walk():
            if isinstance(inner, AllocOp):
                inner.alignment = IntegerAttr(ALIGNMENT, i64)
                ctx.count(self.aligned)


def register(registry: PassRegistry) -> None:
    """Make the pass known under one name on both IRs."""
    registry.register(AlignInMLIR)
    registry.register(AlignInXDSL)


def extend(builder: PipelineBuilder) -> None:
    """Put the pass right after the last bufferization."""
    builder.insert_after(BUFFERIZATION, "align-allocations")
