"""A pass that makes functions endless."""

from xdsl.dialects.cf import BranchOp
from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext


class Endless(OperationPass[FuncOp]):
    """Let the second block of functions branch to itself."""

    name = "endless"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Replace its terminator."""
        if len(op.body.blocks) > 1:
            block = op.body.blocks[1]
            if block.last_op is not None:
                block.last_op.detach()
            block.add_op(BranchOp(block))
