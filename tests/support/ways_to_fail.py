"""Passes that fail in every way, on xDSL's ops and on MLIR's; also loaded as a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from passel import OperationPass, OpPassManager, Pass, PassContext, PassFailure, PassInstrumentation

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp


class GiveUp(Pass[Any]):
    """Give up."""

    name = "give-up"
    reason: str = "no more"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Say why."""
        raise PassFailure(self.reason)


class Raise(Pass[Any]):
    """Raise an exception."""

    name = "raise"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Raise it."""
        raise LookupError("nothing there")


class Break(OperationPass[Any]):
    """Leave a function behind that does not verify."""

    name = "break"
    anchor = "func.func"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Take its name."""
        if hasattr(op, "operation"):
            del op.operation.attributes["sym_name"]
        else:
            del op.properties["sym_name"]


class Trespass(OperationPass[Any]):
    """Change the functions beside the one at hand."""

    name = "trespass"
    anchor = "func.func"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Leave a mark on them."""
        if hasattr(op, "operation"):
            from mlir.ir import UnitAttr

            for each in op.operation.parent.regions[0].blocks[0]:
                if each.operation != op.operation:
                    each.operation.attributes["mine"] = UnitAttr.get(op.operation.context)
        else:
            from xdsl.dialects.builtin import UnitAttr as Unit

            for each in op.parent.ops:
                if each is not op:
                    each.attributes["mine"] = Unit()


class Impossible:
    """An analysis that fails."""

    def __init__(self, op: Any) -> None:
        raise ArithmeticError("does not converge")


class Ask(Pass[Any]):
    """Ask for an analysis that fails."""

    name = "ask"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Ask."""
        ctx.analysis(Impossible)


class Dynamic(Pass[Any]):
    """Run a pipeline that fails."""

    name = "dynamic"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Run it."""
        inner = OpPassManager("any").add(GiveUp(reason="inside"))
        if not ctx.run_pipeline(inner, op):
            raise PassFailure("inside, it failed")


class Unwritten(Pass[Any]):
    """Say that it writes files, and fail."""

    name = "unwritten"
    effects = ("write-files",)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure("cannot write")


class Die(Pass[Any]):
    """End the process, as native code that crashes does."""

    name = "die"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Be killed."""
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)


class Surrender(ModulePass):
    """A pass of xDSL's kind that fails."""

    name = "surrender"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fail."""
        raise PassFailedException("not in this world")


class Strict(PassInstrumentation):
    """Let passes fail."""

    def before_pass(self, step: Any, op: Any) -> None:
        """Let the pass fail."""
        raise PassFailure("not on my watch")
