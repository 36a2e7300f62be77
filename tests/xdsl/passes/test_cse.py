"""`cse`: on each kind of isolated op, and as xDSL's over its corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdsl_inputs import enough, sampled

from passel import PassInstrumentation, PassManager
from passel.xdsl.passes.cse import CSE

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

BODY = """
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.muli %a, %b : i32
"""

KINDS = {
    "builtin.module": f'builtin.module {{ %x = "test.op"() : () -> i32 {BODY} "test.op"(%c) : (i32) -> () }}',
    "func.func": f"func.func @f(%x: i32) -> i32 {{ {BODY} func.return %c : i32 }}",
    "llvm.func": f"llvm.func @f(%x: i32) -> i32 {{ {BODY} llvm.return %c : i32 }}",
    "gpu.module": f"""
"gpu.module"() <{{sym_name = "m"}}> ({{
  %x = "test.op"() : () -> i32 {BODY} "test.op"(%c) : (i32) -> ()
}}) : () -> ()""",
    "gpu.func": f"""
"gpu.func"() <{{function_type = (i32) -> ()}}> ({{
^bb0(%x: i32): {BODY} "test.op"(%c) : (i32) -> () "gpu.return"() : () -> ()
}}) {{sym_name = "f"}} : () -> ()""",
}


@pytest.mark.parametrize("kind", KINDS)
def test_isolated_ops(
    kind: str, parse_op: Callable[[str], Operation], run: Callable[..., object]
) -> None:
    """The second of two equal ops goes, whatever isolated op they are in."""
    op = parse_op(KINDS[kind])
    assert op.name == kind
    run(op, CSE())
    (multiply,) = [inner for inner in op.walk() if inner.name == "arith.muli"]
    assert multiply.operands[0] is multiply.operands[1]
    assert len([inner for inner in op.walk() if inner.name == "arith.addi"]) == 1


def _has_branches(module: Operation) -> bool:
    return any(len(region.blocks) > 1 for op in module.walk() for region in op.regions)


@sampled(16)
def test_same_as_xdsl(step: int, same_as_xdsl: Callable[..., int]) -> None:
    """Modules of xDSL's corpus come out as xDSL's `cse` leaves them.

    xDSL's does nothing to regions of several blocks.
    """
    own = CSE()
    assert same_as_xdsl(own, "cse", step=step, least=40, leaving_out=_has_branches) > enough(7)


def test_dominance_is_an_analysis_of_the_run(parse_op: Callable[[str], Operation]) -> None:
    """Observers of analyses see that it is computed, for a function of several blocks alone."""
    seen: list[str] = []

    class Watch(PassInstrumentation):
        def before_analysis(self, name: str, kind: object, op: object) -> None:
            seen.append(name)

    for body in ("func.return", "cf.br ^b ^b: func.return"):
        manager = PassManager("func.func")
        manager.add(CSE())
        manager.add_instrumentation(Watch())
        manager.run(parse_op(f"func.func @f() {{ {body} }}"))
    assert seen == ["DominanceInfo"]
