"""Passes of all declarations that meddle with the function beside theirs, on xDSL and on MLIR."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import Mock, patch

from mlir.ir import Type, TypeAttr
from xdsl.dialects.builtin import FunctionType, i64

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager
from passel.analysis import AllAnalyses
from passel.execution.strategies import Sequential
from passel.execution.strategies.executors import OnExecutor, Threads
from passel.execution.strategies.fork import Forked
from passel.ir import InvalidIR, SendsOps, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.execution.strategies import SiblingStrategy
    from passel.ir import IRAdapter

_FUNCTION = """
func.func @{name}(%a: i32) -> i32 {{
  %b = arith.addi %a, %a : i32
  %c = arith.addi %b, %a : i32
  func.return %c : i32
}}
"""


def source() -> str:
    """Return a module of functions, with two more levels of them inside."""
    text = ""
    for prefix in "hgf":  # from the inside out
        functions = "".join(_FUNCTION.format(name=f"{prefix}{number}") for number in range(5))
        inner = f"module @in_{prefix} {{{text}}}" if text else ""
        text = functions + inner
    return f"module @root {{{text}}}"


class Meddle(Pass[Any]):
    """Do something between the function called `at` and the one beside it called `target`."""

    name = "meddle"
    act: str = "spoil"
    at: str = "f1"
    target: str = "f3"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        adapter = ctx.adapter
        if adapter.symbol_name(op) == self.at:
            for each in list(adapter.children(adapter.parent(op))):
                if adapter.symbol_name(each) == self.target:
                    ACTS[self.act][adapter.name](op, each)


class Claiming(Meddle):
    """State that everything is preserved, and declare that workers may run it."""

    can_fork = True

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        super().run(op, ctx)
        ctx.preserve_all()


class Preserving(Meddle):
    """Declare all that a pass can declare."""

    can_fork = True
    preserves = (AllAnalyses,)
    idempotent = True


class IdleClaim(Pass[Any]):
    """Do nothing, and say so."""

    name = "idle-claim"
    can_fork = True

    def run(self, op: Any, ctx: PassContext) -> None:
        """Say so."""
        ctx.preserve_all()


KINDS: tuple[type[Meddle], ...] = (Meddle, Claiming, Preserving)
PLACES = ((1, 3), (4, 0), (1, 2))
BEHIND = ("nothing", "claim", "cse", "beside", "level")


# -- Acts of a pass on the function of its own and the one beside -----------------------------


def _xdsl_take(own: Any, other: Any) -> None:
    last = other.body.block.last_op
    last.detach()
    own.body.block.add_op(last)


def _xdsl_retype(own: Any, other: Any) -> None:
    other.properties["function_type"] = FunctionType.from_lists([i64], [i64])


def _xdsl_disorder(own: Any, other: Any) -> None:
    first = other.body.block.first_op
    first.detach()
    other.body.block.insert_op_before(first, other.body.block.last_op)


def _xdsl_borrow(own: Any, other: Any) -> None:
    own.body.block.first_op.operands[0] = other.body.block.args[0]


def _xdsl_rename(own: Any, other: Any) -> None:
    other.properties["sym_name"] = own.properties["sym_name"]


def _xdsl_erase(own: Any, other: Any) -> None:
    other.detach()
    other.erase()


def _body(function: Any) -> Any:
    return function.operation.regions[0].blocks[0]


def _last(function: Any) -> Any:
    return list(_body(function).operations)[-1].operation


def _mlir_retype(own: Any, other: Any) -> None:
    kind = Type.parse("(i64) -> i64", own.operation.context)
    other.operation.attributes["function_type"] = TypeAttr.get(kind)


def _mlir_borrow(own: Any, other: Any) -> None:
    _body(own).operations[0].operation.operands[0] = _body(other).arguments[0]


def _mlir_rename(own: Any, other: Any) -> None:
    other.operation.attributes["sym_name"] = own.operation.attributes["sym_name"]


ACTS: dict[str, dict[str, Callable[[Any, Any], None]]] = {
    "spoil": {
        "xdsl": lambda _, other: other.body.block.last_op.detach(),
        "mlir": lambda _, other: _last(other).erase(),
    },
    "take": {
        "xdsl": _xdsl_take,
        "mlir": lambda own, other: _last(other).move_after(_last(own)),
    },
    "retype": {"xdsl": _xdsl_retype, "mlir": _mlir_retype},
    "disorder": {
        "xdsl": _xdsl_disorder,
        "mlir": lambda _, other: _body(other).operations[0].operation.move_before(_last(other)),
    },
    "borrow": {"xdsl": _xdsl_borrow, "mlir": _mlir_borrow},
    "rename": {"xdsl": _xdsl_rename, "mlir": _mlir_rename},
    "erase": {"xdsl": _xdsl_erase, "mlir": lambda _, other: other.operation.erase()},
}
"""The acts, by the name of the IR."""


# -- Runs ------------------------------------------------------------------------------------


class Here(Executor):
    """Does at once what a worker would do, with the copies of ops that a worker would get."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do it."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


STRATEGIES: tuple[Callable[[], SiblingStrategy], ...] = (
    Sequential,
    lambda: Forked(1),
    lambda: Forked(2),
    lambda: OnExecutor(Here(), 2),
    lambda: Threads(2),
)
_FORKED, _EXECUTOR, _THREADS = (0, 1, 2, 2), (3,), (4,)


class Case(NamedTuple):
    """A way to meddle.

    Attributes:
        kind: What the pass declares.
        act: What it does.
        place: From which function to which.
        depth: How many modules are around the functions.
        behind: What runs after it.
    """

    kind: type[Meddle]
    act: str
    place: tuple[int, int]
    depth: int
    behind: str

    def __str__(self) -> str:
        """Return the name of the test."""
        kind, act, (at, target), depth, behind = self
        return f"{kind.__name__}-{act}-{at}-{target}-{depth}-{behind}"


class Ran(NamedTuple):
    """How a run went.

    Attributes:
        failed: Whether it failed.
        is_valid: Whether what it left is valid, if it succeeded.
        said: All that it reported.
    """

    failed: bool
    is_valid: bool
    said: list[str]


def cases(step: int = 1) -> Iterator[Case]:
    """Yield all cases, or one of so many."""
    every = product(KINDS, ACTS, PLACES, (1, 2, 3), BEHIND)
    return (Case(*each) for number, each in enumerate(every) if number % step == 0)


def manager_of(case: Case, adapter: IRAdapter, context: Any) -> PassManager:
    """Return the pipeline of a case."""
    manager = PassManager("builtin.module", context, adapter=adapter)
    level: OpPassManager = manager
    for _ in range(case.depth - 1):
        level = level.nest("builtin.module")
    prefix, (at, target) = "fgh"[case.depth - 1], case.place
    functions = level.nest("func.func")
    functions.add(case.kind(act=case.act, at=f"{prefix}{at}", target=f"{prefix}{target}"))
    match case.behind:
        case "claim":
            functions.add(IdleClaim())
            manager.add(IdleClaim())
        case "cse":
            functions.add("cse")
        case "beside":
            level.add("symbol-dce")
            level.nest("func.func").add("cse")
        case "level":
            level.add(IdleClaim())
            level.nest("func.func").add(IdleClaim())
        case _:
            pass
    return manager


def run(case: Case, adapter: IRAdapter, parse: Callable[..., Any], way: int) -> Ran:
    """Run a case in one of the ways of `STRATEGIES`."""
    context = adapter.create_context()
    module = parse(context, source(), "in.mlir")
    manager = manager_of(case, adapter, context)
    said: list[str] = []
    with patch("passel.manager.pass_manager.strategy_for", Mock(return_value=STRATEGIES[way]())):
        try:
            manager.run(module, on_diagnostic=lambda each: said.append(str(each)))
        except PassFailedError as error:
            said += map(str, error.failures)
            return Ran(True, False, said)
    return Ran(False, is_valid(adapter, module), said)


def check(case: Case, adapter: IRAdapter, parse: Callable[..., Any]) -> None:
    """Check that no invalid IR is a success, and that the same is reported each time.

    Workers that get copies of functions do not have those beside, so that nothing is done to them.
    In which order threads work is not known.
    """
    sends_copies = ability_of(adapter, SendsOps) is None
    forked, others = (_FORKED[:2], _FORKED[2:]) if sends_copies else (_FORKED, ())
    for ways in (forked, others, _EXECUTOR, _THREADS):
        runs = [run(case, adapter, parse, way) for way in ways]
        assert all(each.failed or each.is_valid for each in runs), (case, ways)
        assert all(each.said == runs[0].said for each in runs), (case, ways)


def is_valid(adapter: IRAdapter, op: Any) -> bool:
    """Return whether an op is valid with all that is nested in it."""
    try:
        adapter.verify(op, recursive=True)
    except InvalidIR:
        return False
    return True
