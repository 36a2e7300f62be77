"""Passes of all declarations that meddle with the function beside theirs, on three IRs."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import Mock, patch

from toy_meddling import TOY_ACTS

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager
from passel.analysis import AllAnalyses
from passel.execution.strategies import Sequential
from passel.execution.strategies.executors import OnExecutor, Threads
from passel.execution.strategies.fork import Forked
from passel.ir import InvalidIR, SendsOps, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
                    acts_of(adapter)[self.act](op, each)


class Declared(Meddle):
    """Declare that workers may run it."""

    can_fork = True


class Claiming(Meddle):
    """State that everything is preserved, and declare the same as well."""

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


class Bound(Meddle):
    """Declare to be for one process."""

    can_fork = False


class Idle(Pass[Any]):
    """Do nothing, and declare nothing."""

    name = "idle"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


class IdleClaim(Pass[Any]):
    """Do nothing, and say so."""

    name = "idle-claim"
    can_fork = True

    def run(self, op: Any, ctx: PassContext) -> None:
        """Say so."""
        ctx.preserve_all()


KINDS: tuple[type[Meddle], ...] = (Meddle, Declared, Claiming, Preserving, Bound)
ACTS = tuple(TOY_ACTS)
PLACES = ((1, 3), (3, 1), (0, 4), (4, 0), (1, 2))
BEHIND = ("nothing", "idle", "claim", "cse", "beside", "level")


class Here(Executor):
    """Does at once what a worker would do, with the copies of ops that a worker would get."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do it."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


STRATEGIES: tuple[Callable[[], Sequential], ...] = (
    Sequential,
    lambda: Forked(1),
    lambda: Forked(2),
    lambda: Forked(3),
    lambda: OnExecutor(Here(), 2),
    lambda: Threads(2),
)
_FORKED, _EXECUTOR, _THREADS = (0, 1, 2, 3, 2), (4, 4), (5,)


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


def acts_of(adapter: IRAdapter) -> dict[str, Callable[[Any, Any], None]]:
    """Return what can be done on an IR, by name."""
    if adapter.name == "toy":
        return TOY_ACTS
    if adapter.name == "mlir":
        from mlir_meddling import MLIR_ACTS

        return MLIR_ACTS
    from xdsl_meddling import XDSL_ACTS

    return XDSL_ACTS


def manager_of(case: Case, adapter: IRAdapter, context: Any) -> PassManager:
    """Return the pipeline of a case."""
    is_toy = adapter.name == "toy"
    module, function = ("toy.module", "toy.func") if is_toy else ("builtin.module", "func.func")
    cse = Idle() if is_toy else "cse"
    manager = PassManager(module, context, adapter=adapter)
    level: OpPassManager = manager
    for _ in range(case.depth - 1):
        level = level.nest(module)
    prefix, (at, target) = "fgh"[case.depth - 1], case.place
    functions = level.nest(function)
    functions.add(case.kind(act=case.act, at=f"{prefix}{at}", target=f"{prefix}{target}"))
    match case.behind:
        case "idle":
            manager.add(Idle())
        case "claim":
            functions.add(IdleClaim())
            manager.add(IdleClaim())
        case "cse":
            functions.add(cse)
        case "beside":
            level.add(Idle())
            level.nest(function).add(cse)
        case "level":
            level.add(IdleClaim())
            level.nest(function).add(IdleClaim())
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
