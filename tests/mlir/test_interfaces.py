"""Interfaces on MLIR's ops: what `InterfacePass[...]` takes, and which ops it finds."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any

import pytest
from mlir import ir
from mlir.dialects.arith import AddIOp
from mlir.dialects.func import FuncOp

from passel import AnchorError, FunctionLike, InterfacePass, PassContext, PassManager
from passel.mlir import MLIRAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = "module { func.func @f() { return } } func.func @g() { return }"


class HasBody(ABC):  # noqa: B024 - ops are registered with it
    """Ops with a body that runs."""


HasBody.register(FuncOp)


class Unused(ABC):  # noqa: B024 - as above
    """No op."""


@pytest.mark.parametrize(
    ("interface", "of_func", "of_addi"),
    [
        (FuncOp, True, False),
        (AddIOp, False, True),
        (ir.InferTypeOpInterface, False, True),
        (HasBody, True, False),
        (FunctionLike, True, False),
        (Unused, False, False),
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


@pytest.fixture
def listing() -> Callable[[], tuple[InterfacePass[Any], list[str | None]]]:
    """Make a pass for ops with a body, and the list of those that it has run on."""

    def make() -> tuple[InterfacePass[Any], list[str | None]]:
        found: list[str | None] = []

        class ListBodies(InterfacePass[HasBody]):
            name = "list-bodies"

            def run(self, op: Any, ctx: PassContext) -> None:
                found.append(ctx.about().symbol)

        return ListBodies(), found

    return make


def test_an_interface_pass_runs_on_ops_that_have_it(
    listing: Callable[[], tuple[InterfacePass[Any], list[str | None]]],
) -> None:
    """In a pipeline for any op, others are left out; one for an op without it is refused."""
    context = ir.Context()
    module = parse_source(context, SOURCE, "f.mlir")
    pass_, found = listing()
    manager = PassManager("builtin.module", context)
    manager.nest("any").add(pass_)
    manager.run(module)
    assert found == ["g"]
    with pytest.raises(AnchorError, match="It runs on ops that implement HasBody"):
        PassManager("builtin.module", context).add(pass_).run(module)
