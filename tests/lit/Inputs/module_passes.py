"""Passes of xDSL's own kind."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class Greet(ModulePass):
    """Leave a greeting."""

    name = "greet"
    text: str = "hello"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set an attribute on each op."""
        for inner in op.ops:
            inner.attributes["greeting"] = StringAttr(self.text)


@dataclass(frozen=True)
class ReplaceAll(ModulePass):
    """Replace all ops."""

    name = "replace-all"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Put a declaration in the place of each."""
        for inner in list(op.ops):
            op.body.block.insert_op_before(FuncOp.external("new", [], []), inner)
            inner.detach()
            inner.erase()
