"""`dce`: as xDSL's over its corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl_inputs import enough, sampled

from passel.xdsl.passes.canonicalize import DCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation


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
