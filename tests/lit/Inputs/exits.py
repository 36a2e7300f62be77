"""A pass that ends the process."""

import sys

from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext


class Exits(OperationPass[FuncOp]):
    """Exit."""

    name = "exits"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do it."""
        sys.exit(3)
