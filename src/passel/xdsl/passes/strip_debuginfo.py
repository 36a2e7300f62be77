"""Removal of locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import UnknownLoc

from passel.passes import Pass

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.passes import PassContext


class StripDebugInfo(Pass["Operation"]):
    """Strip debug info from all operations.

    Source: `mlir/lib/Transforms/StripDebugInfo.cpp`.
    """

    name = "strip-debuginfo"
    ir = "xdsl"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Set the locations of `op`, its nested ops and their block arguments to unknown."""
        unknown = UnknownLoc()
        for inner in op.walk():
            inner.location = unknown
            for region in inner.regions:
                for block in region.blocks:
                    for argument in block.args:
                        argument.location = unknown
