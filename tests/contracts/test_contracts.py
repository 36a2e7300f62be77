"""Contracts over a pipeline: what is checked, and that consumers get what producers made."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from toy_steps import nothing
from xdsl_inputs import xdsl_context

from passel import (
    AllAnalyses,
    ContractError,
    OpPassManager,
    Pass,
    PassContext,
    PassManager,
    PassType,
    option,
)
from passel.bridge import RunOnMLIR
from passel.builder import Bundle, PipelineBuilder
from passel.manager.combinators import CompositeFixedPoint
from passel.mlir import MLIRAdapter
from passel.mlir import parse_source as parse_mlir
from passel.mlir import passes as mlir_passes
from passel.passes.factory import make_pass_class
from passel.passes.op_pass_manager import BarePipeline
from passel.schedule.contracts import check_contracts
from passel.schedule.model import merged
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


def funcs(*items: Any, anchor: str = "toy.func") -> OpPassManager:
    """Return a nested pipeline."""
    return OpPassManager(anchor).add(*items)


@pytest.mark.parametrize(
    "between",
    [
        [CAREFUL, WATCHER],
        [funcs(CAREFUL, funcs(CAREFUL)), funcs()],
        [Holds(pipeline=OpPassManager("toy.module").add(CAREFUL))],
        [Holds(pipeline=OpPassManager("toy.module"))],
        [Holds(pipeline=funcs(CAREFUL), inside=True)],
        [CompositeFixedPoint(pipeline=BarePipeline(CAREFUL, funcs(WATCHER)))],
        [funcs(CompositeFixedPoint(pipeline=BarePipeline(CAREFUL)))],
    ],
    ids=str,
)
def test_what_is_checked_is_what_the_run_does(between: list[Any]) -> None:
    """The consumer gets the very object, whatever kinds of passes there are in between."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.add(GENERATE, *between, MATERIALIZE)
    for jobs in (1, 2):
        pm.run(parse_toy("toy.module(toy.func @f(toy.func @h),toy.func @g)"), jobs=jobs)
        assert len(Schedule.made) == jobs
    assert Schedule.used == Schedule.made


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


class Layout(Schedule):
    """Another one."""


TILING = PassType("tiling")


def module(*items: Any) -> PassManager:
    """Return a pipeline for modules."""
    return PassManager("toy.module", adapter=ToyAdapter()).add(*items)


def errors(build: Callable[[], object]) -> list[str]:
    """Return what keeps a pipeline from being built or compiled."""
    try:
        build()
    except ContractError as error:
        return [problem.message for problem in error.problems]
    return []


def places(messages: list[str]) -> list[tuple[str, ...]]:
    """Return the paths of the passes that each message names, without the root."""
    paths = (re.findall(r"\[toy.module/([^],]+)", message) for message in messages)
    return [tuple(dict.fromkeys(found)) for found in paths]


def between(items: list[Any], *ends: tuple[str, str, tuple[type, ...]]) -> PipelineBuilder:
    """Return a builder's pipeline with regions."""
    builder = PipelineBuilder("toy.module", adapter=ToyAdapter())
    builder.add(*items)
    for start, end, kinds in ends:
        builder.between(start, end, preserves=kinds)
    return builder


# -- Messages --------------------------------------------------------------------------------


def test_the_message_names_the_passes_and_the_way_out() -> None:
    """An error names the passes with their paths, and how to meet the requirement."""
    items = (GENERATE, CARELESS, MATERIALIZE)
    (careless,) = errors(module(*items).check)
    assert careless == (
        "pass 'careless' [toy.module/1:careless] between 'generate' [toy.module/0:generate] and "
        "'materialize' [toy.module/2:materialize] does not claim to preserve Schedule; if it "
        "actually does, declare preserves = (Schedule,) in Careless, otherwise move the pass elsewhere"
    )


# -- Produced and required, nested, dynamic ------------------------------------------------------


FIXED_POINT = CompositeFixedPoint(pipeline=BarePipeline(CAREFUL, CARELESS))
ENDS = ("0:generate", "2:materialize")


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        # Each pass that does not is reported once; a later consumer adds what came in between.
        (
            (GENERATE, CARELESS, CARELESS, MATERIALIZE, MATERIALIZE),
            [
                ("1:careless", "0:generate", "3:materialize"),
                ("2:careless", "0:generate", "3:materialize"),
                ("3:materialize", "0:generate", "4:materialize"),
            ],
        ),
        # Pipelines that a pass holds count.
        ((GENERATE, Holds(pipeline=funcs(CAREFUL)), MATERIALIZE), []),
        ((GENERATE, Holds(pipeline=funcs(CARELESS)), MATERIALIZE), [("1:holds/toy.func/0:careless", *ENDS)]),
        # A fixed point itself changes nothing.
        ((GENERATE, FIXED_POINT, MATERIALIZE), [("1:composite-fixed-point-pass/any/1:careless", *ENDS)]),
    ],
)  # fmt: skip
def test_which_passes_are_reported(items: tuple[Any, ...], expected: list[Any]) -> None:
    """Passes in between preserve an analysis, whether nested or run by other passes."""
    assert places(errors(module(*items).check)) == expected


def test_nothing_crosses_to_another_ir() -> None:
    """There, passes run on an op of their own, and what they do makes another one here."""
    manager = PassManager("builtin.module").add(GENERATE, RunOnMLIR.of(MATERIALIZE), MATERIALIZE)
    inside, after = errors(partial(check_contracts, merged(manager)))
    assert "'materialize' [builtin.module/1:mlir/any/0:materialize] requires Schedule" in inside
    assert "pass 'mlir' [builtin.module/1:mlir] between 'generate'" in after


# -- Regions by hand -------------------------------------------------------------------------


def test_a_region_that_is_left_open() -> None:
    """A start without an end is an error; a region that never starts is not."""
    region = ("watcher", "careful", (Schedule,))
    (opened,) = errors(between([WATCHER, CARELESS], region).build)
    assert "' and 'careful' (requested at" in opened
    assert "for Schedule never ends" in opened
    assert not errors(between([CARELESS, CAREFUL], region).build)
    again = errors(between([WATCHER, CAREFUL, WATCHER], region).build)
    assert places(again) == [("2:watcher",)]


def test_regions_that_are_asked_for_may_overlap() -> None:
    """Each has its own ends, even for one analysis."""
    one, two = ("a", "c", (Schedule,)), ("b", "d", (Schedule, Layout))
    keeps = (Schedule,)
    a, b, c, d = (made(name, preserves=keeps) for name in "abcd")
    found = errors(between([a, b, c, d], one, two).build)
    assert places(found) == [("2:c", "1:b", "3:d")]
    found = errors(between([a, made("x"), b, c, d], one).build)
    assert places(found) == [("1:x", "0:a", "3:c")]


# -- Builders --------------------------------------------------------------------------------


def test_a_builder_refuses_to_build() -> None:
    """The error says who has added what, and where."""
    builder = PipelineBuilder("toy.module", adapter=ToyAdapter())
    builder.add(GENERATE, MATERIALIZE)

    def meddle(builder: PipelineBuilder) -> None:
        builder.insert_after(type(GENERATE), CARELESS)

    builder.extend(meddle)
    with pytest.raises(ContractError) as refused:
        builder.build()
    assert "pass 'careless' [toy.module/1:careless, added by extension '" in str(refused.value)
    assert f"({os.path.relpath(__file__)}:" in str(refused.value)
    builder.remove("careless")
    builder.insert_after(type(GENERATE), CAREFUL)
    assert str(builder.build()) == "toy.module(generate,careful,materialize)"


def test_between() -> None:
    """A region between two targets, looked for when the pipeline is built."""
    builder = PipelineBuilder("toy.module", adapter=ToyAdapter())
    bundle = Bundle("start", CARELESS, WATCHER)
    builder.between(bundle, TILING, preserves=Schedule)
    builder.build()
    added = builder.add(bundle)
    with pytest.raises(ContractError, match="never ends"):
        builder.build()
    builder.add(CAREFUL, made("tile", types=(TILING,)))
    builder.build()
    builder.insert_after(added, CARELESS)
    with pytest.raises(ContractError, match=r"between 'watcher' .* and 'tile' .* Schedule"):
        builder.build()
    builder.remove("careless", occurrence="last")
    assert str(builder.build()) == "toy.module(careless,watcher,careful,tile)"
    copied = builder.copy().between("careful", "absent", preserves=(Layout,))
    with pytest.raises(ContractError, match=f"requested at {os.path.relpath(__file__)}:"):
        copied.build()
    builder.build()


def test_a_region_of_an_extension_that_fails_is_taken_back() -> None:
    """As all else that it did."""

    def fails(builder: PipelineBuilder) -> None:
        builder.between(WATCHER.name, "absent", preserves=Schedule)
        builder.insert_after("absent", CARELESS)

    builder = PipelineBuilder("toy.module", adapter=ToyAdapter())
    builder.add(WATCHER)
    with pytest.raises(Exception, match="absent"):
        builder.extend(fails)
    assert not errors(builder.build)
