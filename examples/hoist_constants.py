"""A pass in a file of its own: `passel-opt --load-pass-plugin=examples/hoist_constants.py`."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove

from passel import OperationPass, PassContext, PassFailure, Statistic, option


class HoistConstants(OperationPass[FuncOp]):
    """Move constants to the start of the entry block."""

    name = "hoist-constants"
    limit: int = option(default=100, help="The maximum number of constants at the start.")
    moved = Statistic("Constants moved")

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Move constants in program order, after the constants already there."""
        if self.limit < 0:
            raise PassFailure("the limit is negative")
        entry = op.body.blocks.first
        place = entry and entry.first_op
        there = 0
        while isinstance(place, ConstantOp):
            place, there = place.next_op, there + 1
        if entry is None or place is None:  # a declaration
            return
        constants = [c for c in op.walk() if isinstance(c, ConstantOp) and _owner(c) is op]
        for constant in constants[there : self.limit]:
            constant.detach()
            entry.insert_op_before(constant, place)
            ctx.count(self.moved)


def _owner(op: Operation) -> Operation | None:
    """Return the nearest enclosing op of `op` that values cannot leave."""
    parent = op.parent_op()
    while parent is not None and not parent.has_trait(IsolatedFromAbove):
        parent = parent.parent_op()
    return parent
