"""A pass that states that it preserves an analysis, and changes what was analysed."""

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext


class Count:
    """How many attributes a function has."""

    def __init__(self, op: FuncOp) -> None:
        self.attributes = len(op.attributes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Count) and self.attributes == other.attributes

    __hash__ = None


class Liar(OperationPass[FuncOp]):
    """Add an attribute, and deny it."""

    name = "liar"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Add an attribute, and deny it."""
        ctx.analysis(Count)
        op.attributes["seen"] = UnitAttr()
        ctx.preserve(Count)
