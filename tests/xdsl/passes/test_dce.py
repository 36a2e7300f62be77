"""`dce`: on each kind of isolated op, and as xDSL's over its corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdsl_inputs import enough, sampled

from passel.xdsl.passes.dce import DCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

DEAD = """
  %a = arith.constant 1 : i32
  %b = arith.addi %a, %a : i32
"""

KINDS = {
    "builtin.module": f'builtin.module {{ {DEAD} "test.op"() : () -> () }}',
    "func.func": f'func.func @f() {{ {DEAD} "test.op"() : () -> () func.return }}',
    "llvm.func": f'llvm.func @f() {{ {DEAD} "test.op"() : () -> () llvm.return }}',
    "gpu.module": f'"gpu.module"() <{{sym_name = "m"}}> ({{ {DEAD} "test.op"() : () -> () }}) : () -> ()',
    "gpu.func": f"""
"gpu.func"() <{{function_type = () -> ()}}> ({{
  {DEAD} "test.op"() : () -> () "gpu.return"() : () -> ()
}}) {{sym_name = "f"}} : () -> ()""",
}


@pytest.mark.parametrize("kind", KINDS)
def test_isolated_ops(
    kind: str, parse_op: Callable[[str], Operation], run: Callable[..., object]
) -> None:
    """A chain of unused ops goes, and what has an effect stays."""
    op = parse_op(KINDS[kind])
    assert op.name == kind
    run(op, DCE())
    names = [inner.name for inner in op.walk()]
    assert "test.op" in names
    assert not [name for name in names if name.startswith("arith.")]


def test_unreachable_blocks(
    parse_op: Callable[[str], Operation], run: Callable[..., object]
) -> None:
    """Blocks that no branch leads to go with all that is in them."""
    op = parse_op("""
func.func @f() {
  func.return
^a:
  "test.op"() : () -> ()
  cf.br ^b
^b:
  cf.br ^a
}""")
    run(op, DCE())
    assert len(op.regions[0].blocks) == 1
    assert [inner.name for inner in op.walk()] == ["func.func", "func.return"]


@sampled(20)
def test_same_as_xdsl(step: int, same_as_xdsl: Callable[..., int]) -> None:
    """Modules of xDSL's corpus come out as xDSL's `dce` leaves them."""
    assert same_as_xdsl(DCE(), "dce", step=step, least=35) > enough(10)
