"""Passes that change what is not theirs."""

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext


class Meddle(OperationPass[FuncOp]):
    """Mark the function `victim` while working on another one."""

    name = "meddle"
    victim: str = "b"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Mark it."""
        module = op.parent_op()
        assert module is not None
        for other in module.walk():
            if isinstance(other, FuncOp) and other.sym_name.data == self.victim != op.sym_name.data:
                other.attributes["seen"] = UnitAttr()


class Sign(OperationPass[FuncOp]):
    """Mark the module while working on a function."""

    name = "sign"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Mark it."""
        module = op.parent_op()
        assert module is not None
        module.attributes["signed"] = op.sym_name


class Look(OperationPass[FuncOp]):
    """Do nothing."""

    name = "look"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do nothing."""
