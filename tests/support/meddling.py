"""Passes that meddle with ops which are not theirs, over both the toy IR and xDSL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from passel import OpPassManager, Pass, PassContext
from passel.ir import InvalidIR
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.ir import IRAdapter


class Land(NamedTuple):
    """An IR to meddle with.

    Attributes:
        adapter: Answers for it.
        module: The name of modules.
        func: The name of functions.
        make: Makes a module `root` of functions `a` and `b`, a module `in` and a function `z`.
        acts: What can be done to an op, by name; None if it cannot be done to this one.
    """

    adapter: IRAdapter
    module: str
    func: str
    make: Callable[[], Any]
    acts: dict[str, Callable[[Any], None]]

    def is_valid(self, op: Any) -> bool:
        """Return whether an op is valid with all that is nested in it."""
        try:
            self.adapter.verify(op, recursive=True)
        except InvalidIR:
            return False
        return True


# -- The toy IR ------------------------------------------------------------------------------


def _toy_spoil(op: ToyOp) -> None:
    op.value = -1


def _toy_change(op: ToyOp) -> None:
    op.value = 7


def _toy_rename(op: ToyOp) -> None:
    if op.parent is not None:
        op.symbol = next(each.symbol for each in op.parent.body)


def _toy_erase(op: ToyOp) -> None:
    if op.parent is not None:
        op.parent.body.remove(op)
        op.parent = None


def _toy_move(op: ToyOp) -> None:
    parent = op.parent
    if parent is not None and parent.parent is not None:
        _toy_erase(op)
        parent.parent.add(op)


def _toy_shuffle(op: ToyOp) -> None:
    op.body.reverse()


def _toy_add(op: ToyOp) -> None:
    op.add(ToyOp("toy.func", "new"))


def _toy_add_invalid(op: ToyOp) -> None:
    op.add(ToyOp("toy.func", "new", value=-1))


TOY = Land(
    ToyAdapter(),
    "toy.module",
    "toy.func",
    lambda: parse_toy(
        "toy.module @root(toy.func @a,toy.func @b(toy.op),"
        "toy.module @in(toy.func @c,toy.module @deep(toy.func @d,toy.func @e),toy.func @f),"
        "toy.func @z)"
    ),
    {
        "spoil": _toy_spoil,
        "change": _toy_change,
        "rename": _toy_rename,
        "erase": _toy_erase,
        "move": _toy_move,
        "shuffle": _toy_shuffle,
        "add": _toy_add,
        "add invalid": _toy_add_invalid,
    },
)

# -- xDSL ------------------------------------------------------------------------------------

_SOURCE = """
module @root {
  func.func @a() { func.call @z() : () -> () return }
  func.func @b() { return }
  module @in {
    func.func @c() { func.call @f() : () -> () return }
    module @deep {
      func.func @d() { func.call @e() : () -> () return }
      func.func @e() { return }
    }
    func.func @f() { return }
  }
  func.func @z() { return }
}
"""


def _xdsl_spoil(op: Operation) -> None:
    if isinstance(op, FuncOp) and (block := op.body.first_block) and block.last_op:
        block.last_op.detach()


def _xdsl_change(op: Operation) -> None:
    op.attributes["seen"] = UnitAttr()


def _xdsl_rename(op: Operation) -> None:
    if op.parent is not None and isinstance(op, FuncOp):
        functions = [each for each in op.parent.ops if isinstance(each, FuncOp)]
        op.properties["sym_name"] = functions[0].sym_name


def _xdsl_retype(op: Operation) -> None:
    if isinstance(op, FuncOp) and (block := op.body.first_block):
        block.insert_arg(i32, 0)
        op.properties["function_type"] = FunctionType.from_lists([i32], [])


def _xdsl_erase(op: Operation) -> None:
    if op.parent is not None:
        op.detach()
        op.erase()


def _xdsl_move(op: Operation) -> None:
    enclosing = op.parent_op()
    if enclosing is not None and enclosing.parent is not None:
        op.detach()
        enclosing.parent.add_op(op)


def _xdsl_shuffle(op: Operation) -> None:
    if isinstance(op, ModuleOp):
        first = op.body.block.first_op
        if first is not None:
            first.detach()
            op.body.block.add_op(first)


def _new_function(*ops: Operation) -> FuncOp:
    return FuncOp("new", ([], []), Region(Block(ops)))


def _xdsl_add(op: Operation) -> None:
    if isinstance(op, ModuleOp):
        op.body.block.add_op(_new_function(ReturnOp()))


def _xdsl_add_invalid(op: Operation) -> None:
    if isinstance(op, ModuleOp):
        op.body.block.add_op(_new_function())


def _xdsl_unname(op: Operation) -> None:
    if isinstance(op, FuncOp):
        op.properties["sym_name"] = StringAttr("nobody")


def make_xdsl() -> Operation:
    """Return the module to meddle with."""
    return parse_source(XDSLAdapter().create_context(), _SOURCE, "in.mlir")


XDSL = Land(
    XDSLAdapter(),
    "builtin.module",
    "func.func",
    make_xdsl,
    {
        "spoil": _xdsl_spoil,
        "change": _xdsl_change,
        "rename": _xdsl_rename,
        "retype": _xdsl_retype,
        "erase": _xdsl_erase,
        "move": _xdsl_move,
        "shuffle": _xdsl_shuffle,
        "add": _xdsl_add,
        "add invalid": _xdsl_add_invalid,
        "unname": _xdsl_unname,
    },
)

LANDS = {"toy": TOY, "xdsl": XDSL}

# -- Passes ----------------------------------------------------------------------------------

TARGETS = ["own", "inside", "around", "around that", "first", "last", "next", "z"]
"""Which op is meddled with, seen from the one that the pass runs on."""


def target_of(adapter: IRAdapter, op: Any, which: str) -> Any:
    """Return the op to meddle with, or None."""
    enclosing = adapter.parent(op)
    beside = [] if enclosing is None else list(adapter.children(enclosing))
    match which:
        case "own":
            return op
        case "inside":
            return next(iter(adapter.children(op)), None)
        case "around":
            return enclosing
        case "around that":
            return None if enclosing is None else adapter.parent(enclosing)
        case "first" | "last":
            return beside[0 if which == "first" else -1] if beside else None
        case "next":
            behind = beside[beside.index(op) + 1 :] if op in beside else []
            return behind[0] if behind else None
        case symbol:
            return next((each for each in beside if adapter.symbol_name(each) == symbol), None)


class Meddle(Pass[Any]):
    """Do something to some op, from the pass on the op called `at`, or on each."""

    name = "meddle"
    act: str = "change"
    target: str = "own"
    at: str = ""
    preserves_all: bool = False
    dynamic: bool = False

    log: ClassVar[list[tuple[str, bool]]] = []
    """What has run, by path, and whether the whole was valid before."""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it, here or in a pipeline of its own."""
        land = TOY if isinstance(op, ToyOp) else XDSL
        root = op
        while (enclosing := land.adapter.parent(root)) is not None:
            root = enclosing
        self.log.append((ctx.path, land.is_valid(root)))
        if self.preserves_all:
            ctx.preserve_all()
        if self.dynamic:
            inner = Meddle(act=self.act, target=self.target, at=self.at)
            ctx.run_pipeline(OpPassManager("any").add(inner))
        elif self.at in ("", land.adapter.symbol_name(op)):
            target = target_of(land.adapter, op, self.target)
            if target is not None:
                land.acts[self.act](target)
