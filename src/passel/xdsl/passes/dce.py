"""Dead code elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.passes import Pass
from passel.xdsl.fast import dead_code_eraser

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.passes import PassContext


class DCE(Pass["Operation"]):
    """Eliminate ops without observable effect, and blocks that cannot be reached.

    Source: xDSL's `dce`, after `mlir::runRegionDCE`.
    """

    name = "dce"
    ir = "xdsl"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Erase what is dead in each region, as xDSL's region DCE does."""
        erase = dead_code_eraser()
        for region in op.regions:
            erase(region, None)
