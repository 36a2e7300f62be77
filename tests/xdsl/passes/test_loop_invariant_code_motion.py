"""`loop-invariant-code-motion`, which xDSL calls `licm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel.xdsl.passes.loop_invariant_code_motion import Licm, LoopInvariantCodeMotion

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

    from passel import RunResult

LOOPS = """
  %lb = arith.constant 0 : index
  %ub = arith.constant 8 : index
  %st = arith.constant 1 : index
  scf.for %i = %lb to %ub step %st {
    scf.for %j = %lb to %ub step %st {
      %invariant = arith.addi %lb, %ub : index
      %outer = arith.addi %i, %invariant : index
      %inner = arith.addi %i, %j : index
      "test.op"(%outer, %inner) : (index, index) -> ()
    }
  }
"""


@pytest.mark.parametrize("pass_class", [LoopInvariantCodeMotion, Licm])
def test_nested_loops(
    pass_class: type[LoopInvariantCodeMotion],
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
) -> None:
    """What depends on no loop leaves both, what depends on the outer one leaves the inner."""
    op = parse_op(f"func.func @f() {{ {LOOPS} func.return }}")
    run(op, pass_class())
    depths = [depth_of(inner) for inner in op.walk() if inner.name == "arith.addi"]
    assert depths == [0, 1, 2]


def depth_of(op: Operation) -> int:
    """Return how many loops are around an op."""
    depth, parent = 0, op.parent_op()
    while parent is not None:
        depth += parent.name == "scf.for"
        parent = parent.parent_op()
    return depth


def test_effects_stay(parse_op: Callable[[str], Operation], run: Callable[..., object]) -> None:
    """What has an effect, or might trap, happens in the loop or not at all."""
    op = parse_op("""
func.func @f(%n: index, %m: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    "test.op"() : () -> ()
    memref.store %n, %m[%c0] : memref<1xindex>
  }
  func.return
}""")
    run(op, Licm())
    names = ("test.op", "memref.store")
    assert [depth_of(inner) for inner in op.walk() if inner.name in names] == [1, 1]


@pytest.mark.parametrize(
    ("divisor", "stays"), [("%n", True), ("%zero", True), ("%minus", True), ("%two", False)]
)
@pytest.mark.parametrize("division", ["divsi", "remsi", "floordivsi", "ceildivsi"])
def test_divisions_that_might_trap_stay(
    division: str,
    divisor: str,
    stays: bool,
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
) -> None:
    """A division leaves the loop only if it cannot trap where the loop runs no iteration."""
    op = parse_op(f"""
func.func @f(%n: index, %m: memref<1xindex>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %minus = arith.constant -1 : index
  scf.for %i = %zero to %n step %one {{
    %x = arith.{division} %n, {divisor} : index
    memref.store %x, %m[%zero] : memref<1xindex>
  }}
  func.return
}}""")
    run(op, Licm())
    assert [depth_of(inner) for inner in op.walk() if inner.name == f"arith.{division}"] == [stays]


def test_what_uses_a_division_that_stays_does_so_too(
    parse_op: Callable[[str], Operation], run: Callable[..., RunResult]
) -> None:
    """Nothing is hoisted, nor said to be changed, if all depends on a division that might trap."""
    op = parse_op("""
func.func @f(%n: index, %m: memref<1xindex>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %x = arith.remsi %n, %n : index
    %y = arith.addi %x, %x : index
    memref.store %y, %m[%zero] : memref<1xindex>
  }
  func.return
}""")
    result = run(op, Licm())
    assert result.changed is False
    assert [depth_of(inner) for inner in op.walk() if inner.name == "arith.addi"] == [1]
