"""A pass that says which process it ran in."""

import os
import time

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext

LOADED_IN = os.getpid()


class Where(OperationPass[FuncOp]):
    """Mark a function with the kind of process, after a while."""

    name = "where"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do it."""
        time.sleep(0.1)
        op.attributes["in"] = StringAttr("tool" if os.getpid() == LOADED_IN else "worker")
