"""Loop-invariant code motion, under MLIR's name and under xDSL's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.transforms.loop_invariant_code_motion import LoopInvariantCodeMotion as HoistFromLoop

from passel.passes import Pass

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.passes import PassContext


class LoopInvariantCodeMotion(Pass["Operation"]):
    """Hoist loop-invariant instructions out of `scf.for`.

    Source: `mlir/lib/Transforms/LoopInvariantCodeMotion.cpp` by way of xDSL's `licm`.
    """

    name = "loop-invariant-code-motion"
    ir = "xdsl"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Apply xDSL's rewrite to inner loops first."""
        walker = PatternRewriteWalker(
            HoistFromLoop(), apply_recursively=False, walk_regions_first=True
        )
        for region in op.regions:
            walker.rewrite_region(region)


class Licm(LoopInvariantCodeMotion):
    """Hoist loop-invariant instructions out of `scf.for`; xDSL's name for it."""

    name = "licm"
