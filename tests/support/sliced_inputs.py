"""Sources of many ops at the top, and passes that do something on one of them."""

from __future__ import annotations

PLUGIN = '''
import os
import signal
import sys
from pathlib import Path

from passel import Pass, PassFailure
from xdsl.dialects.builtin import FunctionType, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp

PARENT = os.getpid()


class Do(Pass):
    """Do something on the function @f7."""

    def run(self, op, ctx):
        if op.sym_name.data == "f7":
            self.do(op, ctx)


class Warn(Do):
    name = "warn"
    do = lambda self, op, ctx: ctx.emit_warning("look")


class Quiet(Do):
    name = "quiet"
    do = lambda self, op, ctx: None


class Fail(Do):
    name = "fail"

    def do(self, op, ctx):
        raise PassFailure("not this one")


class Crash(Do):
    name = "crash"
    do = lambda self, op, ctx: 1 / 0


class Print(Do):
    name = "say"
    do = lambda self, op, ctx: print("hello")


class Write(Do):
    name = "write"
    do = lambda self, op, ctx: os.write(2, b"hello")


class Die(Do):
    """End the process, the first time."""

    name = "die"

    def do(self, op, ctx):
        if os.getpid() != PARENT and not Path("died").exists():
            Path("died").touch()
            os.kill(os.getpid(), signal.SIGKILL)


class Leave(Do):
    name = "leave"

    def do(self, op, ctx):
        if os.getpid() != PARENT:
            sys.exit(0)


class Add(Do):
    """Declare another function beside."""

    name = "add"

    def do(self, op, ctx):
        other = FuncOp.external("added", [], [])
        op.parent.insert_ops_before([other], op.parent.first_op)


class MarkModule(Do):
    """Set an attribute of the enclosing op."""

    name = "mark-module"

    def do(self, op, ctx):
        op.parent_op().attributes["marked"] = UnitAttr()


class Rename(Do):
    """Take the name of another function."""

    name = "rename"

    def do(self, op, ctx):
        op.properties["sym_name"] = StringAttr("f1")


class Retype(Do):
    """Give the function another type, which its callers do not know of."""

    name = "retype"

    def do(self, op, ctx):
        (argument,) = [each for each in op.body.block.args if not each.uses]
        op.body.block.erase_arg(argument)
        op.properties["function_type"] = FunctionType.from_lists([], [])


class Peek(Pass):
    """Say whether there is a function beside."""

    name = "peek"

    def run(self, op, ctx):
        op.attributes["is_last"] = StringAttr(str(op.next_op is None))


class Keep(Pass):
    """Count in a global variable."""

    name = "keep"
    can_fork = False

    def run(self, op, ctx):
        assert os.getpid() == PARENT


class Touch(Keep):
    """Write a file."""

    name = "touch"
    can_fork = True
    effects = ("write-files",)

    def run(self, op, ctx):
        with open("touched", "a") as file:
            file.write("x")
'''


def functions(count: int = 16) -> str:
    """Return functions with something to simplify, each on several lines."""
    return "".join(
        f"""\
func.func @f{number}(%a: i32) -> i32 {{
  %0 = arith.constant {number} : i32
  %1 = arith.addi %0, %a : i32
  %named = arith.addi %0, %a : i32
  %c = arith.cmpi eq, %1, %named : i32
  cf.cond_br %c, ^bb1, ^other(%0 : i32)
^bb1:
  func.return %1 : i32
^other(%arg: i32):
  func.return %arg : i32
}}
"""
        for number in range(count)
    )


def in_module(text: str, head: str = "builtin.module {", tail: str = "}") -> str:
    """Return ops inside of a module, indented."""
    return f"{head}\n" + "".join(f"  {line}\n" for line in text.splitlines()) + f"{tail}\n"


def long_functions(count: int = 16) -> str:
    """Return functions that are worth keeping by the time that they take."""
    ops = "".join(
        f"  %{n} = arith.addi %{n - 1}, %{n - 1} : i32\n"
        f"  %x{n} = arith.addi %{n - 1}, %{n - 1} : i32\n"
        for n in range(1, 60)
    )
    return "".join(
        f"func.func @f{number}() -> i32 {{\n"
        f"  %0 = arith.constant {number} : i32\n{ops}  func.return %59 : i32\n}}\n"
        for number in range(count)
    )
