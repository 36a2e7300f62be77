"""Contracts held against the IR while passes run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.builder import (
    ContractVerifier,
    Declarations,
    DeclarationTable,
    enforce_contracts,
)
from passel.mlir import MLIRAdapter, parse_source
from passel.passes.factory import make_pass_class
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.schedule import Step


class Schedule:
    """An analysis."""

    def __init__(self, op: ToyOp) -> None:
        self.value = op.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schedule) and self.value == other.value

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def nothing(op: ToyOp, ctx: PassContext) -> None:
    """Do nothing."""


def made(
    name: str, body: Callable[[ToyOp, PassContext], object] = nothing, **declared: Any
) -> Pass[Any]:
    """Return a pass that does this and declares that."""

    def run(self: Any, op: ToyOp, ctx: PassContext) -> None:
        body(op, ctx)

    declared["run"] = run
    return make_pass_class(Pass, name.title(), name=name, **declared)()


def get(op: ToyOp, ctx: PassContext) -> Schedule:
    """Get the schedule."""
    return ctx.analysis(Schedule)


def drop(op: ToyOp, ctx: PassContext) -> None:
    """Drop what is of the dialect `high`."""
    op.body[:] = [inner for inner in op.body if not inner.name.startswith("high")]


def add(op: ToyOp, ctx: PassContext) -> None:
    """Add an op of the dialect `high`."""
    op.add(ToyOp("high.op"))


GENERATE = made("generate", get, produces=(Schedule,))
MATERIALIZE = made("materialize", get, requires=(Schedule,))
CAREFUL = made("careful", preserves=(Schedule,))
CARELESS = made("careless")
LOWER = made("lower", drop, makes_illegal=("high",))
NEEDS = made("needs", requires=("high",))
ADD = made("add", add)
RAISE = made("raise", add, makes_legal=("high",))


def funcs(*items: Any, anchor: str = "toy.func") -> OpPassManager:
    """Return a nested pipeline."""
    return OpPassManager(anchor).add(*items)


def inside(*items: Any, **declared: Any) -> Pass[Any]:
    """Return a pass that runs a pipeline on the ops inside, or on its own op."""
    pipeline = funcs(*items, anchor=declared.pop("anchor", "toy.func"))

    def run(op: ToyOp, ctx: PassContext) -> None:
        for each in [op] if pipeline.anchor == "toy.module" else op.body:
            if not ctx.run_pipeline(pipeline, each):
                raise PassFailure("inside")

    return made("inside", run, **declared)


def failures(
    *items: Any, ir: str = "toy.module(toy.func @f(high.op))", enforce: bool = False
) -> list[str]:
    """Run a pipeline and return the paths and reasons of its failures."""
    pm = PassManager("toy.module", adapter=ToyAdapter(), check=False).add(*items)
    if enforce:
        enforce_contracts(pm, DeclarationTable(), verify=True)
    else:
        pm.add_instrumentation(ContractVerifier(DeclarationTable()))
    try:
        pm.run(parse_toy(ir))
    except PassFailedError as error:
        return [
            f"{each.path.removeprefix('toy.module/')} {each.diagnostic.message.partition(': ')[2]}"
            for each in error.failures
        ]
    return []


LOWERED = "pass 'lower' [toy.module/toy.func/0:lower]"
ANEW = (
    "it requires Schedule, which had to be computed anew: no pass has produced it, or one has not "
    "kept it since"
)
LEFT = (
    "it leaves 'high.op' of dialect 'high', which pass 'lower' [toy.module/{}] has made illegal, "
    "and no pass since has made legal"
)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((funcs(LOWER),), []),
        ((LOWER,), ["0:lower it makes dialect 'high' illegal, but leaves 'high.op'"]),
        ((funcs(LOWER, ADD),), ["toy.func/1:add " + LEFT.format("toy.func/0:lower")]),
        ((funcs(LOWER), ADD), []),  # outside of functions, it is not illegal
        ((funcs(LOWER, RAISE, ADD, NEEDS),), []),
        ((funcs(NEEDS), funcs(LOWER)), []),
        (
            (funcs(LOWER, inside(NEEDS, anchor="toy.func")),),
            [],  # there are no functions in functions
        ),
        (
            (funcs(LOWER, NEEDS),),
            [f"toy.func/1:needs it requires dialect 'high', which {LOWERED} has made illegal"],
        ),
    ],
)
def test_dialects(items: tuple[Any, ...], expected: list[str]) -> None:
    """What is illegal is gone, stays gone until it is legal again, and no pass requires it."""
    assert failures(*items) == expected


def test_what_is_illegal_in_an_op_is_so_in_the_ops_inside() -> None:
    """Nested passes are held to it, also those of dynamic pipelines."""
    ir = "toy.module(toy.func @f)"
    left = LEFT.format("0:lower")
    assert failures(LOWER, funcs(ADD), ir=ir) == [f"toy.func/0:add {left}"]
    assert failures(LOWER, inside(ADD), ir=ir) == ["1:inside inside"]
    assert not failures(LOWER, funcs(RAISE), inside(ADD), ir=ir)


def test_analyses() -> None:
    """Who requires one gets it from the cache, and who produces one computes it."""
    assert not failures(GENERATE, CAREFUL, MATERIALIZE)
    assert failures(GENERATE, CARELESS, MATERIALIZE) == [f"2:materialize {ANEW}"]
    assert failures(made("lazy", produces=(Schedule,))) == [
        "0:lazy it does not compute Schedule, which it produces"
    ]


def test_a_pass_that_runs_others_than_it_says() -> None:
    """What it preserves, they have to preserve."""

    def may_run(self: Any) -> list[OpPassManager]:
        return []

    keeps: dict[str, Any] = {"preserves": (Schedule,), "may_run": may_run}
    assert not failures(GENERATE, inside(CAREFUL, **keeps), MATERIALIZE)
    assert failures(GENERATE, inside(CARELESS, **keeps), MATERIALIZE) == [
        "1:inside it preserves Schedule, but runs 'careless', which does not"
    ]


def test_what_is_preserved_is_compared() -> None:
    """The analysis verifier does it."""

    def change(op: ToyOp, ctx: PassContext) -> None:
        op.value += 1

    liar = made("liar", change, preserves=(Schedule,))
    assert failures(GENERATE, liar, MATERIALIZE, enforce=True) == [
        "1:liar it states that it preserves Schedule, but changed it"
    ]


def test_passes_that_are_skipped_owe_nothing() -> None:
    """A gate keeps a producer from running."""

    def never(step: Step, op: ToyOp) -> bool:
        return False

    pm = PassManager("toy.module", adapter=ToyAdapter()).add(GENERATE, LOWER)
    pm.add_instrumentation(ContractVerifier(DeclarationTable()))
    pm.add_gate(never)
    pm.run(parse_toy("toy.module(high.op)"))


# -- Real passes -----------------------------------------------------------------------------

LINALG = """\
func.func @f(%a: memref<4xf32>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return
}
"""


def test_native_passes_are_held_to_what_a_table_says() -> None:
    """Each by itself, though MLIR could run them in one call."""
    context = MLIRAdapter().create_context()
    table = DeclarationTable()
    table.declare(Declarations(makes_illegal=("linalg",)), "convert-linalg-to-loops")
    pm = PassManager("builtin.module", context).add("canonicalize,convert-linalg-to-loops,cse")
    enforce_contracts(pm, table, verify=True)
    pm.run(parse_source(context, LINALG, "in.mlir"))
    table.declare(Declarations(makes_illegal=("linalg",)), "canonicalize")
    with pytest.raises(PassFailedError) as failed:
        pm.run(parse_source(context, LINALG, "in.mlir"))
    (failure,) = failed.value.failures
    assert str(failure) == (
        "in.mlir:2:3: 'linalg.fill' op pass 'canonicalize' failed: it makes dialect 'linalg' "
        "illegal, but leaves 'linalg.fill' [builtin.module/0:canonicalize]"
    )
