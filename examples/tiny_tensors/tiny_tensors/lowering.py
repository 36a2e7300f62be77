"""Lowering of tensors."""

from typing import Any, ClassVar

from xdsl.dialects import linalg
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.rewriter import InsertPoint, Rewriter

from passel import OperationPass, PassContext, Statistic
from tiny_tensors.dialect import AddOp, TransposeOp


class ToLinalg(OperationPass[FuncOp]):
    """Lower tiny tensors to linalg."""

    name = "tt-to-linalg"
    ir: ClassVar[str] = "xdsl"
    dependent_dialects = ("linalg", "tensor")
    lowered = Statistic("Ops lowered")

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Lower op by op."""
        for each in list(op.walk()):
            if isinstance(each, AddOp | TransposeOp):
                empty = EmptyOp((), each.result.type)
                made = _lowered(each, empty)
                Rewriter.insert_op([empty, made], InsertPoint.before(each))
                each.result.replace_all_uses_with(made.results[0])
                each.detach()
                each.erase()
                ctx.count(self.lowered)


def _lowered(op: AddOp | TransposeOp, empty: EmptyOp) -> Any:
    if isinstance(op, AddOp):
        return linalg.AddOp([op.lhs, op.rhs], empty.results, [op.result.type])
    order = DenseArrayBase.from_list(i64, [1, 0])
    return linalg.TransposeOp(op.source, empty.results[0], order, op.result.type)
