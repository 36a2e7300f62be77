"""Passes that do on demand what passes should not do."""

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from passel import OperationPass, Pass, PassContext, PassFailure, option


class SaySomething(Pass[Operation]):
    """Say what ops have as text: "test.op"() {remark = "text"}."""

    name = "say-something"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Report everything that is in attributes, in program order."""
        emitters = {
            "error": ctx.emit_error,
            "warning": ctx.emit_warning,
            "remark": ctx.emit_remark,
        }
        for inner in op.walk():
            for name, emit in emitters.items():
                text = inner.attributes.get(name)
                if isinstance(text, StringAttr):
                    diagnostic = emit(text.data, inner)
                    note = inner.attributes.get("note")
                    if isinstance(note, StringAttr):
                        diagnostic.attach_note(note.data)


class Fail(OperationPass[FuncOp]):
    """Fail on functions of one name."""

    name = "fail"
    on: str = option(default="bad", help="The name.")

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Give up if it is the one."""
        if op.sym_name.data == self.on:
            raise PassFailure(f"@{self.on} is not wanted")


class Crash(Pass[Operation]):
    """Crash."""

    name = "crash"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Look up what is not there."""
        {}["absent"]


class Mark(OperationPass[FuncOp]):
    """Mark functions as seen."""

    name = "mark"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Set an attribute."""
        op.attributes["seen"] = IntegerAttr(1, i32)


class Break(OperationPass[FuncOp]):
    """Take the terminators out of functions."""

    name = "break"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Leave invalid IR behind."""
        for block in op.body.blocks:
            if block.last_op is not None:
                block.erase_op(block.last_op)


class EraseItself(OperationPass[FuncOp]):
    """Erase the function that it runs on."""

    name = "erase-itself"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Erase it."""
        op.detach()
        op.erase()


class OnModule(OperationPass[ModuleOp]):
    """Do nothing to a module."""

    name = "on-module"

    def run(self, op: ModuleOp, ctx: PassContext) -> None:
        """Do nothing."""
