"""Every analysis is compared by value, so that a pass that breaks one it preserves is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from claims import ANALYSES, ask_for_all
from xdsl.dialects import arith, cf, func
from xdsl.ir import Block, Operation
from xdsl_inputs import REAL_FILES, parsed_copy, sampled, xdsl_context

from passel import AnalysisManager, Pass, PassContext, PassFailedError, PassManager
from passel.xdsl import XDSLAdapter, parse_source

Change = Callable[[Operation], None]

TEXT = """
func.func private @leaf(%x: i32) -> i32 {
  func.return %x : i32
}
func.func private @other(%x: i32) -> i32 {
  func.return %x : i32
}
func.func @main(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  cf.br ^loop(%n : i32)
^loop(%i: i32):
  %less = arith.subi %i, %one : i32
  %x = func.call @leaf(%less) : (i32) -> i32
  %more = arith.cmpi sgt, %x, %one : i32
  cf.cond_br %more, ^loop(%less : i32), ^end
^end:
  %y = arith.addi %x, %n : i32
  func.return %y : i32
}"""


def only(module: Operation, kind: type[Any]) -> Any:
    """Return the only op of a class, or the first one."""
    return next(op for op in module.walk() if isinstance(op, kind))


def skip_loop(module: Operation) -> None:
    """Let the entry go straight to the end as well, so that the loop dominates it no more."""
    branch = only(module, cf.BranchOp)
    block: Block = branch.parent
    true = arith.ConstantOp.from_int_and_width(1, 1)
    end = only(module, cf.ConditionalBranchOp).else_block
    twice = cf.ConditionalBranchOp(true, branch.successor, branch.operands, end, ())
    block.insert_ops_before([true, twice], branch)
    branch.detach()
    branch.erase()


def drop_call(module: Operation) -> None:
    """Erase the call, for which what it is passed takes its place."""
    call = only(module, func.CallOp)
    call.results[0].replace_all_uses_with(call.operands[0])
    call.detach()
    call.erase()


def drop_other(module: Operation) -> None:
    """Erase a function that nothing refers to."""
    second = list(module.regions[0].block.ops)[1]
    second.detach()
    second.erase()


def use_no_more(module: Operation) -> None:
    """Use a value of the loop after it no more."""
    end = only(module, arith.AddiOp)
    end.operands = [end.rhs, end.rhs]


CHANGES: dict[str, tuple[Change, ...]] = {
    "CallGraph": (drop_call, drop_other),
    "DominanceInfo": (skip_loop,),
    "Liveness": (use_no_more,),
    "PostDominanceInfo": (skip_loop,),
    "SymbolTables": (drop_other,),
    "SymbolUsers": (drop_call,),
}
CASES = [(name, change) for name, changes in CHANGES.items() for change in changes]


def computed(name: str, module: Operation) -> Any:
    """Compute an analysis, and ask it for all that it computes on demand."""
    manager = AnalysisManager(module, XDSLAdapter(), lambda _kind, _op, construct: construct())
    result: Any = manager.analysis(ANALYSES[name])
    ask_for_all(name, result, module)
    return result


def test_every_analysis_is_here() -> None:
    """Each analysis that passel exports is changed in some way below."""
    assert sorted(CHANGES) == sorted(ANALYSES)


@sampled(4)
@pytest.mark.parametrize("name", ANALYSES)
def test_an_analysis_is_equal_to_a_second_one(step: int, name: str) -> None:
    """Computed twice, an analysis is equal, on every real file."""
    for file in sorted(REAL_FILES.glob("*.mlir"))[::step]:
        module = parsed_copy(file.read_text(encoding="utf-8"), file.name)
        first = computed(name, module)
        assert first == computed(name, module), file.name
        assert first == ANALYSES[name](module), file.name
        assert first != object()


@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_pass_that_preserves_what_it_changed_is_found(name: str, change: Change) -> None:
    """With analyses verified, the run fails at the pass, and names it and the analysis."""
    kind = ANALYSES[name]

    class Liar(Pass[Operation]):
        name = "liar"

        def run(self, op: Operation, ctx: PassContext) -> None:
            ask_for_all(kind.__name__, ctx.analysis(kind), op)
            change(op)
            ctx.preserve(kind)

    module = parse_source(xdsl_context(), TEXT, "test.mlir")
    manager = PassManager("builtin.module", xdsl_context(), adapter=XDSLAdapter()).add(Liar())
    manager.enable_analysis_verifier()
    manager.enable_verifier(False)
    with pytest.raises(PassFailedError, match=f"changed {name}"):
        manager.run(module)
