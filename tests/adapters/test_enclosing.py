"""An adapter that is wrong about the ops that enclose an op."""

from collections.abc import Callable

import pytest

from passel import AdapterError, Pass, PassContext, PassManager
from passel.testing import ToyAdapter, ToyOp, parse_toy


class _Around(ToyAdapter):
    """Takes the op at the top for the one around itself."""

    def parent(self, op: ToyOp) -> ToyOp:
        return op.parent or op


def _warn(op: ToyOp, ctx: PassContext) -> None:
    ctx.emit_warning("here")


def _look_beside(op: ToyOp, ctx: PassContext) -> None:
    ctx.analyses.nest(ToyOp("toy.func"))


@pytest.mark.parametrize("body", [_warn, _look_beside])
def test_op_around_itself(body: Callable[[ToyOp, PassContext], None]) -> None:
    """A pass that asks for the enclosing ops gets an error that names the adapter, and no endless loop."""

    class Asks(Pass[ToyOp]):
        def run(self, op: ToyOp, ctx: PassContext) -> None:
            body(op, ctx)

    manager = PassManager("toy.module", adapter=_Around()).add(Asks())
    with pytest.raises(AdapterError, match=r"adapter for 'toy' .*_Around\.parent must return None"):
        manager.run(parse_toy("toy.module(toy.func @f)"))
