"""Options, errors, statistics and idempotence of `inline`, `sccp` and `mem2reg`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import CallSiteLoc

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassFailure
from passel.passes.op_pass_manager import BarePipeline
from passel.xdsl.passes.inline import Inliner

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

    from passel import RunResult

    Transform = Callable[..., tuple[Operation, RunResult]]

CALLS = """
func.func private @double(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func private @external(i32) -> i32
func.func private @choose(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^yes, ^no
^yes:
  return %x : i32
^no:
  %y = func.call @external(%x) : (i32) -> i32
  return %y : i32
}
func.func @main(%c: i1, %x: i32) -> i32 {
  %a = func.call @double(%x) : (i32) -> i32
  %b = func.call @double(%a) : (i32) -> i32
  %d = func.call @choose(%c, %b) : (i1, i32) -> i32
  return %d : i32
}
"""


class Refuse(Pass[func.FuncOp]):
    """Fail on one function."""

    name = "refuse"
    symbol: str = "double"

    def run(self, op: func.FuncOp, ctx: PassContext) -> None:
        """Refuse."""
        if op.sym_name.data == self.symbol:
            raise PassFailure("it refuses")


def symbols(module: Operation) -> list[str]:
    """Return the names of the functions."""
    return [op.sym_name.data for op in module.walk() if isinstance(op, func.FuncOp)]


def calls(module: Operation) -> list[str]:
    """Return what is called."""
    return [op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp)]


def counts(result: RunResult) -> dict[str, int]:
    """Return the statistics of the only pass that has any."""
    (found,) = result.statistics.values()
    return dict(found)


def test_inline_counts_what_it_does_and_erases_what_nobody_calls(transform: Transform) -> None:
    """`inline` counts inlined calls, and erases private functions without uses."""
    module, result = transform(CALLS, "inline")
    assert symbols(module) == ["external", "main"]
    assert calls(module) == ["external"]
    assert counts(result) == {"num-inlined": 3, "num-erased": 2}


def test_inline_says_which_callee_could_not_be_simplified(transform: Transform) -> None:
    """The error names the callee on which the pipeline failed."""
    with pytest.raises(PassFailedError) as caught:
        transform(CALLS, Inliner(default_pipeline=BarePipeline(Refuse())))
    messages = [failure.diagnostic.message for failure in caught.value.failures]
    assert any("failed on callee @double" in message for message in messages)


def test_inline_prefers_a_pipeline_for_the_callable(transform: Transform) -> None:
    """A pipeline of `op-pipelines` replaces the default pipeline."""
    own = OpPassManager("func.func").add(Refuse(symbol="choose"))
    with pytest.raises(PassFailedError, match="choose"):
        transform(CALLS, Inliner(op_pipelines=(own,)))


def test_inline_without_pipelines(transform: Transform) -> None:
    """Without a pipeline, inlined ops are not simplified, and name the call in their locations."""
    text = CALLS.replace(
        "%y = arith.addi %x, %x", "%u = arith.addi %x, %x : i32 %y = arith.addi %x, %x"
    )
    module, _ = transform(text, "inline{default-pipeline={}}")
    found = [op.location for op in module.walk() if isinstance(op, arith.AddiOp)]
    assert list(map(type, found)) == [CallSiteLoc] * 4


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("@double(%x: i32) -> i32 {", "@double(%x: i32) -> i32 attributes {no_inline} {", 2),
        ("@double(%x) :", "@double(%x) {no_inline} :", 1),
        ("%y = arith.addi %x, %x : i32", '%y = "test.op"(%x) : (i32) -> i32', 2),
        (
            "%d = func.call @choose(%c, %b) : (i1, i32) -> i32",
            """%d = scf.if %c -> (i32) {
              %e = func.call @choose(%c, %b) : (i1, i32) -> i32
              scf.yield %e : i32
            } else {
              scf.yield %b : i32
            }""",
            1,
        ),
    ],
    ids=["marked callee", "marked call", "unknown dialect", "blocks where one may stand"],
)
def test_inline_leaves_calls(old: str, new: str, left: int, transform: Transform) -> None:
    """Calls stay that are marked, or whose callees may not stand in their place."""
    module, _ = transform(CALLS.replace(old, new), "inline")
    assert len([name for name in calls(module) if name != "external"]) == left


def test_inline_needs_a_symbol_table(transform: Transform) -> None:
    """On an op without a symbol table, `inline` fails."""
    with pytest.raises(PassFailedError, match="no symbol table"):
        transform(CALLS, "func.func(inline)")


def returned(module: Operation, name: str) -> object:
    """Return the constant that a function returns."""
    for op in module.walk():
        if isinstance(op, func.FuncOp) and op.sym_name.data == name:
            last = op.body.blocks[-1].last_op
            assert last is not None
            owner = last.operands[0].owner
            return owner.value if isinstance(owner, arith.ConstantOp) else None
    return None


CONSTANT_REGIONS = {
    "if": """
func.func @main(%c: i1) -> i32 {
  %x = scf.if %c -> (i32) {
    %a = arith.constant 3 : i32
    %b = arith.addi %a, %a : i32
    scf.yield %b : i32
  } else {
    %d = arith.constant 6 : i32
    scf.yield %d : i32
  }
  return %x : i32
}
""",
    "for": """
func.func @main(%n: index) -> i32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : i32
  %x = scf.for %j = %i to %n step %one iter_args(%k = %six) -> (i32) {
    %a = arith.constant 0 : i32
    %b = arith.addi %k, %a : i32
    scf.yield %b : i32
  }
  return %x : i32
}
""",
}


@pytest.mark.parametrize("kind", CONSTANT_REGIONS)
def test_sccp_erases_a_region_op_with_all_that_is_nested_in_it(
    kind: str, transform: Transform
) -> None:
    """`sccp` replaces and erases an op with regions although ops in them fold as well."""
    module, _ = transform(CONSTANT_REGIONS[kind], "sccp")
    assert str(returned(module, "main")) == "6 : i32"
    assert f"scf.{kind}" not in str(module)


SLOTS = """
func.func @main(%c: i1, %x: i32) -> i32 {
  %s = memref.alloca() : memref<i32>
  %t = memref.alloca() : memref<1xi32>
  %zero = arith.constant 0 : index
  memref.store %x, %s[] : memref<i32>
  memref.store %x, %t[%zero] : memref<1xi32>
  cf.cond_br %c, ^more, ^end
^more:
  %y = arith.addi %x, %x : i32
  memref.store %y, %s[] : memref<i32>
  cf.br ^end
^end:
  %a = memref.load %s[] : memref<i32>
  %d = scf.if %c -> (i32) {
    %b = memref.load %t[%zero] : memref<1xi32>
    scf.yield %b : i32
  } else {
    scf.yield %a : i32
  }
  return %d : i32
}
"""


def test_mem2reg_counts_slots_and_arguments(transform: Transform) -> None:
    """`mem2reg` counts promoted slots and new block arguments."""
    module, result = transform(SLOTS, "mem2reg")
    assert counts(result) == {"promoted slots": 2, "new block args": 1}
    assert not any(isinstance(op, memref.AllocaOp) for op in module.walk())


@pytest.mark.parametrize(("text", "pipeline"), [(CALLS, "inline"), (SLOTS, "mem2reg")])
def test_once_more_changes_nothing(text: str, pipeline: str, transform: Transform) -> None:
    """A second run finds nothing to do, and says so."""
    module, _ = transform(text, pipeline)
    again, result = transform(str(module), pipeline)
    assert (str(again), result.changed, result.statistics) == (str(module), False, {})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scf.yield %a", "memref.store %a, %t[%zero] : memref<1xi32> scf.yield %a"),
        ("memref<1xi32>", "memref<2xi32>"),
        ("return %d", '"test.op"(%t) : (memref<1xi32>) -> () func.return %d'),
    ],
    ids=["stored in a region", "two elements", "escapes"],
)
def test_mem2reg_leaves_what_it_does_not_understand(
    old: str, new: str, transform: Transform
) -> None:
    """`mem2reg` promotes no slot with several elements or unknown uses."""
    module, result = transform(SLOTS.replace(old, new), "mem2reg")
    assert counts(result)["promoted slots"] == 1
    assert sum(isinstance(op, memref.AllocaOp) for op in module.walk()) == 1


def test_mem2reg_simplifies_regions_if_told_to(transform: Transform) -> None:
    """Only with `region-simplify`, `mem2reg` erases unreachable blocks."""
    text = SLOTS.replace("^end:", "^never:\n  cf.br ^end\n^end:")
    kept, _ = transform(text, "mem2reg{region-simplify=false}")
    simplified, _ = transform(text, "mem2reg")
    assert "^never" in str(kept)
    assert "^never" not in str(simplified)
