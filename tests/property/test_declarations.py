"""Whatever passes declare, no invalid IR leaves a run as a success, on any IR.

Passes of all declarations meddle with the function beside theirs.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import Mock, patch

import pytest
from acts_beside import ACTS
from sweeps import STEP

import passel.mlir as on_mlir
import passel.xdsl as on_xdsl
from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager
from passel.analysis import AllAnalyses
from passel.execution.strategies import Sequential
from passel.execution.strategies.executors import OnExecutor, Threads
from passel.execution.strategies.fork import Forked
from passel.ir import InvalidIR, SendsOps
from passel.testing import ToyAdapter, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.ir import IRAdapter


@dataclass(frozen=True)
class IR:
    """An IR, and how functions are written in modules there.

    Attributes:
        adapter: Answers for it.
        parse: Returns the op of a text, given a context, the text, and a name for it.
        function: The text of a function.
        module: The text of a module.
        separator: What is between ops.
    """

    adapter: IRAdapter
    parse: Callable[..., Any]
    function: str
    module: str
    separator: str

    @cached_property
    def context(self) -> Any:
        """The context of all modules, since making one takes as long as a run."""
        return self.adapter.create_context()

    @cached_property
    def text(self) -> str:
        """A module of functions, with two more levels of them inside."""
        inner: list[str] = []
        for prefix in "hgf":  # from the inside out
            functions = [self.function.replace("NAME", f"{prefix}{number}") for number in range(5)]
            text = self.separator.join([*functions, *inner])
            inner = [self.module.replace("NAME", f"in_{prefix}").replace("BODY", text)]
        return inner[0]

    @cached_property
    def parsed(self) -> Any:
        """The module, which no pass changes."""
        return self.parse(self.context, self.text, "in.mlir")

    def new_module(self) -> Any:
        """Return a module for passes to change: a copy where that is faster."""
        if self.adapter.name == "xdsl":
            return self.parsed.clone()
        return self.parse(self.context, self.text, "in.mlir")


_FUNCTION = """func.func @NAME(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %b, %a : i32
  func.return %c : i32
}"""
_OF_MLIR = (_FUNCTION, "module @NAME {\nBODY\n}", "\n")


def _parse_toy(context: object, text: str, name: str) -> Any:
    return parse_toy(text)


IRS = {
    "toy": IR(
        ToyAdapter(), _parse_toy, "toy.func @NAME(toy.op 1,toy.op 2)", "toy.module @NAME(BODY)", ","
    ),
    "xdsl": IR(on_xdsl.XDSLAdapter(), on_xdsl.parse_source, *_OF_MLIR),
    "mlir": IR(on_mlir.MLIRAdapter(), on_mlir.parse_source, *_OF_MLIR),
}


# -- Passes ----------------------------------------------------------------------------------


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
                    ACTS[adapter.name][self.act](op, each)


class Declared(Meddle):
    """Declare that workers may run it."""

    can_fork = True


class Claiming(Declared):
    """State that everything is preserved, and declare the same as well."""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        super().run(op, ctx)
        ctx.preserve_all()


class Preserving(Declared):
    """Declare all that a pass can declare."""

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
PLACES = ((1, 3), (3, 1), (0, 4), (4, 0), (1, 2))
BEHIND = ("nothing", "idle", "claim", "cse", "beside", "level")


# -- Runs ------------------------------------------------------------------------------------


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
    lambda: OnExecutor(2, Here()),
    lambda: Threads(2),
)
_FORKED, _EXECUTOR, _THREADS = (0, 1, 2, 3), (4, 4), (5,)


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

    def manager(self, adapter: IRAdapter, context: Any) -> PassManager:
        """Return the pipeline."""
        is_toy = adapter.name == "toy"
        module, function = ("toy.module", "toy.func") if is_toy else ("builtin.module", "func.func")
        cse = Idle() if is_toy else "cse"
        manager = PassManager(module, context, adapter=adapter)
        level: OpPassManager = manager
        for _ in range(self.depth - 1):
            level = level.nest(module)
        prefix, (at, target) = "fgh"[self.depth - 1], self.place
        functions = level.nest(function)
        functions.add(self.kind(act=self.act, at=f"{prefix}{at}", target=f"{prefix}{target}"))
        match self.behind:
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

    def run(self, ir: IR, way: int) -> tuple[bool, list[str]]:
        """Run it in one of the ways of `STRATEGIES`.

        Returns:
            Whether it failed or left a valid module, and all that it reported.
        """
        module, manager = ir.new_module(), self.manager(ir.adapter, ir.context)
        said: list[str] = []
        chosen = Mock(return_value=STRATEGIES[way]())
        with patch("passel.manager.pass_manager.strategy_for", chosen):
            try:
                manager.run(module, on_diagnostic=lambda each: said.append(str(each)))
            except PassFailedError as error:
                return True, [*said, *map(str, error.failures)]
        try:
            ir.adapter.verify(module, recursive=True)
        except InvalidIR:
            return False, said
        return True, said

    def check(self, ir: IR) -> None:
        """Check that no invalid IR is a success, and that the same is reported each time.

        Workers that get copies of functions do not have those beside, so that nothing is done to
        them. In which order threads work is not known.
        """
        sends_copies = not isinstance(ir.adapter, SendsOps)
        forked, others = (_FORKED[:2], _FORKED[2:]) if sends_copies else (_FORKED, ())
        for ways in (forked, others, _EXECUTOR, _THREADS):
            runs = [self.run(ir, way) for way in ways]
            assert all(is_sound for is_sound, _ in runs), (self, ways)
            assert all(said == runs[0][1] for _, said in runs), (self, ways)


def cases(step: int) -> Iterator[Case]:
    """Yield one of so many cases."""
    every = product(KINDS, ACTS["toy"], PLACES, (1, 2, 3), BEHIND)
    return (Case(*each) for number, each in enumerate(every) if number % step == 0)


SAMPLE = [
    (ir, case) for ir, step in (("toy", 211), ("xdsl", 263), ("mlir", 431)) for case in cases(step)
]


@pytest.mark.parametrize(("ir", "case"), SAMPLE, ids=str)
def test_no_declaration_lets_invalid_ir_out(ir: str, case: Case) -> None:
    """A pass that breaks the function beside fails, and equally so in any number of workers."""
    case.check(IRS[ir])


@pytest.mark.sweep
@pytest.mark.parametrize("ir", IRS.values(), ids=IRS)
@pytest.mark.parametrize("act", ACTS["toy"])
def test_no_declaration_at_all_lets_invalid_ir_out(act: str, ir: IR) -> None:
    """That holds for each declaration, place, depth and pipeline."""
    for case in cases(STEP):
        if case.act == act:
            case.check(ir)
