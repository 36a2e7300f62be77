"""Interfaces on MLIR's ops: what `InterfacePass[...]` takes, and which ops it finds."""

from __future__ import annotations

from abc import ABC
from typing import Any

import pytest
from mlir import ir
from mlir.dialects.arith import AddIOp
from mlir.dialects.func import FuncOp

from passel import AnchorError, FunctionLike, InterfacePass, PassContext, PassManager
from passel.mlir import MLIRAdapter, parse_source

SOURCE = "module { func.func @f() { return } } func.func @g() { return }"


class HasBody(ABC):  # noqa: B024 - ops are registered with it
    """Ops with a body that runs."""


HasBody.register(FuncOp)


@pytest.mark.parametrize(
    ("interface", "of_func", "of_addi"),
    [
        (FuncOp, True, False),
        (AddIOp, False, True),
        (ir.InferTypeOpInterface, False, True),
        (HasBody, True, False),
        (FunctionLike, True, False),
    ],
)
def test_interfaces_are_classes_of_the_bindings_of_python_or_of_passel(
    interface: type, *, of_func: bool, of_addi: bool
) -> None:
    """An op class, an interface of the bindings, and a base class with registered ops."""
    adapter, context = MLIRAdapter(), ir.Context()
    for name, expected in (("func.func", of_func), ("arith.addi", of_addi)):
        kind = adapter.kind_named(context, name)
        assert kind is not None
        assert kind.implements(interface) is expected


def test_an_interface_pass_runs_on_ops_that_have_it() -> None:
    """In a pipeline for any op, others are left out; one for an op without it is refused."""
    found: list[str | None] = []

    class ListBodies(InterfacePass[HasBody]):
        name = "list-bodies"

        def run(self, op: Any, ctx: PassContext) -> None:
            found.append(ctx.adapter.symbol_name(op))

    context = ir.Context()
    module = parse_source(context, SOURCE, "f.mlir")
    manager = PassManager("builtin.module", context)
    manager.nest("any").add(ListBodies())
    manager.run(module)
    assert found == ["g"]
    with pytest.raises(AnchorError, match="It runs on ops that implement HasBody"):
        PassManager("builtin.module", context).add(ListBodies()).run(module)
