"""passel's own adapters fulfil the contract that `passel.testing` ships; others are refused."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest
from subjects import MLIRSubject, ToySubject, XDSLSubject

from passel import AdapterError, Pass, PassContext, PassManager
from passel.ir import adapter_named, adapters
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


class TestToy(ToySubject):
    """The adapter of the toy IR."""


class TestXDSL(XDSLSubject):
    """The adapter of xDSL."""


class TestMLIR(MLIRSubject):
    """The adapter of MLIR's bindings."""


def test_an_installed_adapter_derives_from_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not is refused by name, with the way out, before it is asked anything."""
    point = EntryPoint("strange", "types:SimpleNamespace", "passel.adapters")
    monkeypatch.setattr(adapters, "_adapters", lambda: {"strange": point})
    with pytest.raises(AdapterError, match=r"'strange' .* derived from passel.ir.IRAd"):
        adapter_named("strange")


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
    with pytest.raises(AdapterError, match=r"_Around\.parent must return None"):
        manager.run(parse_toy("toy.module(toy.func @f)"))
