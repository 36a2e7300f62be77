"""Simplification of tensors."""

from typing import ClassVar

from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext, PassFailure, Statistic, option
from tiny_tensors.dialect import TransposeOp


class Simplify(OperationPass[FuncOp]):
    """Drop a transpose of a transpose."""

    name = "tt-simplify"
    ir: ClassVar[str] = "xdsl"
    limit: int = option(default=1000, help="How many may be dropped.")
    dropped = Statistic("Transposes dropped")

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Let users take the first tensor."""
        found = 0
        for outer in [each for each in op.walk() if isinstance(each, TransposeOp)]:
            inner = outer.source.owner
            if isinstance(inner, TransposeOp):
                found += 1
                if found > self.limit:
                    raise PassFailure(f"there are more than {self.limit} to drop")
                outer.result.replace_all_uses_with(inner.source)
                outer.detach()
                outer.erase()
        ctx.count(self.dropped, found)
        if not found:
            ctx.preserve_all()
