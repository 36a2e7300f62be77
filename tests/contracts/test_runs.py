"""With contracts declared, the consumer gets the producer's very object; on toy IR, xDSL and MLIR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from toy_steps import nothing
from xdsl_inputs import xdsl_context

from passel import AllAnalyses, ContractError, OpPassManager, Pass, PassContext, PassManager, option
from passel.manager import BarePipeline, CompositeFixedPoint
from passel.mlir import MLIRAdapter
from passel.mlir import parse_source as parse_mlir
from passel.mlir import passes as mlir_passes
from passel.passes.factory import make_pass_class
from passel.testing import ToyAdapter, parse_toy
from passel.xdsl import parse_source as parse_xdsl
from passel.xdsl.passes.cse import CSE

if TYPE_CHECKING:
    from collections.abc import Callable


class Schedule:
    """When ops run, in name alone."""

    made: ClassVar[list[Schedule]] = []
    used: ClassVar[list[Schedule | None]] = []

    def __init__(self, op: Any) -> None:
        self.made.append(self)


@pytest.fixture(autouse=True)
def forget_all() -> None:
    """Forget the schedules of other tests."""
    Schedule.made.clear()
    Schedule.used.clear()


def made(name: str, body: Callable[[Any, PassContext], object] = nothing, **declared: Any) -> Pass:
    """Return a pass that declares something and calls a function."""

    def run(self: Any, op: Any, ctx: PassContext) -> None:
        body(op, ctx)

    return make_pass_class(Pass, name.title(), name=name, run=run, **declared)()


def note(op: Any, ctx: PassContext) -> None:
    """Use the schedule of the op."""
    Schedule.used.append(ctx.analysis(Schedule))


GENERATE = made("generate", lambda _, ctx: ctx.analysis(Schedule), produces=(Schedule,))
MATERIALIZE = made("materialize", note, requires=(Schedule,))
CARELESS = made("careless")
CAREFUL = made("careful", preserves=(Schedule,))
WATCHER = made("watcher", preserves=(AllAnalyses,))
SAID = OpPassManager("toy.module").add(CAREFUL, WATCHER)
SAYS = made(
    "says",
    lambda _, ctx: ctx.run_pipeline(SAID),
    preserves=(Schedule,),
    may_run=lambda _: [SAID],  # pyright: ignore[reportUnknownLambdaType]
)


class Holds(Pass):
    """Run a pipeline on the op, or on those inside."""

    name = "holds"
    preserves = (Schedule,)
    pipeline: OpPassManager = option(default_factory=OpPassManager)
    inside: bool = False

    def run(self, op: Any, ctx: PassContext) -> None:
        """Run it."""
        for each in op.body if self.inside else [op]:
            ctx.run_pipeline(self.pipeline, each)


def funcs(*items: Any) -> OpPassManager:
    """Return a nested pipeline."""
    return OpPassManager("toy.func").add(*items)


@pytest.mark.parametrize(
    "between",
    [
        [CAREFUL, WATCHER],
        [funcs(CAREFUL, funcs(CAREFUL)), funcs()],
        [Holds(pipeline=OpPassManager("toy.module").add(CAREFUL))],
        [Holds(pipeline=OpPassManager("toy.module"))],
        [Holds(pipeline=funcs(CAREFUL), inside=True)],
        [SAYS],
        [CompositeFixedPoint(pipeline=BarePipeline(CAREFUL, funcs(WATCHER)))],
        [funcs(CompositeFixedPoint(pipeline=BarePipeline(CAREFUL)))],
    ],
    ids=str,
)
def test_what_is_checked_is_what_the_run_does(between: list[Any]) -> None:
    """The consumer gets the very object, whatever kinds of passes there are in between."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.add(GENERATE, *between, MATERIALIZE)
    pm.run(parse_toy("toy.module(toy.func @f(toy.func @h),toy.func @g)"))
    assert len(Schedule.made) == 1
    assert Schedule.used == Schedule.made


@pytest.mark.parametrize(("inner", "times"), [(CAREFUL, 1), (CARELESS, 2)])
def test_a_pass_that_does_not_say_what_it_runs(inner: Pass, times: int) -> None:
    """The run goes by what it has run."""
    hides = made(
        "hides", lambda op, ctx: ctx.run_pipeline(funcs(inner), op.body[0]), preserves=(Schedule,)
    )
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(GENERATE, hides, MATERIALIZE)
    pm.run(parse_toy("toy.module(toy.func @f)"))
    assert len(Schedule.made) == times


def test_what_is_added_later_is_checked() -> None:
    """A pipeline is checked again when it has changed, unless its manager says that it is not."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(GENERATE, MATERIALIZE)
    pm.check()
    with pytest.raises(ContractError):
        pm.add(CARELESS, MATERIALIZE).check()
    PassManager("toy.module", adapter=ToyAdapter(), check=False).add(MATERIALIZE).check()


# -- Passes of others ------------------------------------------------------------------------

TEXT = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
"""


class KeepingCSE(CSE):
    """One of xDSL's that says more."""

    name = "keeping-cse"
    preserves = (Schedule,)


class KeepingNativeCSE(mlir_passes.CSE):
    """One of MLIR's that says more."""

    preserves = (Schedule,)


@pytest.mark.parametrize(
    ("context", "parse", "keeping"),
    [
        (xdsl_context, parse_xdsl, KeepingCSE()),
        (MLIRAdapter().create_context, parse_mlir, KeepingNativeCSE()),
    ],
    ids=["xdsl", "mlir"],
)
def test_passes_of_others_in_between(context: Any, parse: Any, keeping: Pass) -> None:
    """Refused until a subclass says that they preserve the schedule; then kept."""
    pm = PassManager("builtin.module", context())
    pm.add(GENERATE, "canonicalize", keeping, MATERIALIZE)
    with pytest.raises(ContractError) as refused:
        pm.check()
    (found,) = refused.value.problems
    assert "[builtin.module/1:canonicalize] between" in found.message
    assert "declare preserves = (Schedule,) in a subclass of" in found.message
    pm = PassManager("builtin.module", context()).add(GENERATE, keeping, MATERIALIZE)
    module = parse(pm.context, TEXT, "in.mlir")
    pm.run(module)
    assert str(module).count("arith.addi") == 2
    assert Schedule.used == Schedule.made
    assert len(Schedule.made) == 1
