"""A pass that takes long on one function."""

import time

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext


class Linger(OperationPass[FuncOp]):
    """Take a second on the function `slow`, and mark each."""

    name = "linger"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do it."""
        if op.sym_name.data == "slow":
            time.sleep(1)
        op.attributes["seen"] = UnitAttr()
