"""Passes on MLIR's ops for other processes: they rewrite, report, count, fail and end processes."""

from __future__ import annotations

import faulthandler
import operator
import os
import signal
from typing import Any

from mlir.ir import (
    Block,
    FlatSymbolRefAttr,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    Location,
    Operation,
    StringAttr,
    Type,
    TypeAttr,
)
from sibling_passes import is_elsewhere

from passel import Pass, PassContext, PassFailure, Statistic

make_op: Any = operator.attrgetter("create")(Operation)
"""`Operation.create`, of which the bindings' declarations say too little."""


def body_of(op: Any) -> Block | None:
    """Return the first block of an op, if it has one."""
    regions = op.operation.regions
    blocks = list(regions[0]) if len(regions) else []
    return blocks[0] if blocks else None


def name_of(op: Any) -> str:
    """Return an op's symbol."""
    attributes = op.operation.attributes
    return StringAttr(attributes["sym_name"]).value if "sym_name" in attributes else ""


class Rewrite(Pass[Any]):
    """Put a constant at the beginning, and report where."""

    name = "rewrite"
    made = Statistic("Constants made")
    every: int = 1

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        body = body_of(op)
        if body is None or len(name_of(op)) % self.every:
            ctx.preserve_all()
            return
        first = body.operations[0].operation
        kind = IntegerType.get_signless(32)
        value = {"value": IntegerAttr.get(kind, 7)}
        place = Location.name("made", first.location)
        make_op("arith.constant", [kind], attributes=value, loc=place, ip=InsertionPoint(first))
        ctx.count(self.made)
        ctx.emit_remark(f"made one in {name_of(op)}", op=first.opview).attach_note("here")


class Attribute(Pass[Any]):
    """Give an op attributes of all sorts, take one away, and move it in its file."""

    name = "attribute"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        operation = op.operation
        operation.attributes["test.was"] = StringAttr.get(name_of(op))
        if "test.old" in operation.attributes:
            del operation.attributes["test.old"]
        operation.location = Location.file("moved.mlir", 3, 4)


class Nothing(Pass[Any]):
    """Do nothing, and do not say so."""

    name = "nothing"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""


class Fail(Pass[Any]):
    """Fail on some ops in different ways."""

    name = "fail"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        match name_of(op)[-1:]:
            case "1":
                raise PassFailure("ends with 1")
            case "2":
                msg = "a crash"
                raise ValueError(msg)
            case "3":
                ctx.emit_error("it goes on")
            case "4":  # invalid
                kind = Type.parse("(i64) -> (i64, i64)")
                op.operation.attributes["function_type"] = TypeAttr.get(kind)
            case _:
                op.operation.attributes["test.fine"] = StringAttr.get("yes")


class CallNobody(Pass[Any]):
    """Call a function that is not there."""

    name = "call-nobody"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        body = body_of(op)
        assert body is not None
        callee = {"callee": FlatSymbolRefAttr.get("nobody")}
        first = body.operations[0].operation
        make_op("func.call", [], attributes=callee, loc=first.location, ip=InsertionPoint(first))


class TellProcess(Pass[Any]):
    """Say on an op whether this is another process than that of the tests."""

    name = "tell-mlir-process"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        op.operation.attributes["test.where"] = StringAttr.get(
            "there" if is_elsewhere() else "here"
        )


class Die(Pass[Any]):
    """End another process on one op."""

    name = "die-mlir"
    on: str = "f3"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        if not is_elsewhere():
            return
        faulthandler.disable()
        if name_of(op) == self.on:
            os.kill(os.getpid(), signal.SIGKILL)
        op.operation.attributes["test.alive"] = StringAttr.get("yes")


class Trespass(Pass[Any]):
    """Change the enclosing op."""

    name = "trespass-mlir"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        op.operation.parent.attributes["test.hit"] = StringAttr.get("yes")


class AskSymbol(Pass[Any]):
    """Note what a function beside this one is like, as far as it is found."""

    name = "ask-symbol"
    of: str = "callee"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        for other in op.operation.parent.regions[0].blocks[0].operations:
            if name_of(other) == self.of:
                attributes = other.operation.attributes
                visibility = (
                    str(attributes["sym_visibility"]) if "sym_visibility" in attributes else ""
                )
                text = f"{attributes['function_type']} {visibility}"
                op.operation.attributes["test.found"] = StringAttr.get(text)


known_types: list[Type] = []


class KeepType(Pass[Any]):
    """Add a constant of a type that was made for another run, whatever its context was."""

    name = "keep-type"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        kind = known_types[0] if known_types else IntegerType.get_signless(32)
        body = body_of(op)
        assert body is not None
        first = body.operations[0].operation
        value = {"value": IntegerAttr.get(kind, 7)}
        made = make_op(
            "arith.constant",
            [kind],
            attributes=value,
            loc=first.location,
            ip=InsertionPoint(first),
        )
        user = next(each.operation for each in body.operations if len(each.operation.operands) == 2)
        user.operands[1] = made.results[0]
