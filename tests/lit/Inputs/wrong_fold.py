"""A pass that folds wrongly in one function."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from passel import OperationPass, PassContext


class Larger(RewritePattern):
    """Make seven eight."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Rewrite a constant."""
        if isinstance(op, ConstantOp) and op.value == IntegerAttr(7, op.value.type):
            replace = "replace" if hasattr(rewriter, "replace") else "replace_op"  # before 0.70
            getattr(rewriter, replace)(op, ConstantOp(IntegerAttr(8, op.value.type)))


class WrongFold(OperationPass[FuncOp]):
    """Fold wrongly."""

    name = "wrong-fold"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Make sevens eights."""
        PatternRewriteWalker(Larger()).rewrite_region(op.body)
