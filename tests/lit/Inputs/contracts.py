"""Passes with contracts, some of which they break."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.arith import ConstantOp

from passel import OperationPass, Pass, PassContext


class Schedule:
    """An analysis."""

    def __init__(self, op: Any) -> None: ...


class Generate(Pass):
    """Produce the schedule."""

    name = "generate"
    produces = (Schedule,)
    lazy: bool = False

    def run(self, op: Any, ctx: PassContext) -> None:
        """Compute it."""
        if not self.lazy:
            ctx.analysis(Schedule)


class Materialize(Pass):
    """Use the schedule."""

    name = "materialize"
    requires = (Schedule,)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Use it."""
        ctx.analysis(Schedule)


class Careful(Pass):
    """Preserve the schedule."""

    name = "careful"
    preserves = (Schedule,)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


class Careless(Careful):
    """Preserve nothing."""

    name = "careless"
    preserves = ()


class Lower(OperationPass):
    """Erase constants, but for those with an attribute."""

    name = "lower"
    anchor = "func.func"
    makes_illegal = ("arith",)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Erase them."""
        for inner in list(op.walk()):
            if isinstance(inner, ConstantOp) and "keep" not in inner.attributes:
                inner.detach()
                inner.erase()


class Raise(OperationPass):
    """Add a constant."""

    name = "raise"
    anchor = "func.func"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Add it."""
        op.body.blocks[0].insert_op_before(
            ConstantOp.from_int_and_width(1, 32), op.body.blocks[0].first_op
        )


class Tile(Pass):
    """Require constants."""

    name = "tile"
    requires = ("arith",)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""
