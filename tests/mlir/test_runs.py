"""Python passes over MLIR's ops: nested runs, failures, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from mlir.dialects import arith, func
from mlir.ir import Context, Module, Type, TypeAttr, UnitAttr

from passel import AnchorError, OperationPass, Pass, PassContext, PassFailedError, PassManager
from passel.ir import InvalidIR, PrintFlags
from passel.mlir import MLIRAdapter, parse_source

REGISTERED = """\
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  return %b : i32
}
module @inner {
  func.func @g() {
    return
  }
}
"""


@pytest.fixture
def adapter() -> MLIRAdapter:
    """The adapter."""
    return MLIRAdapter()


def break_(function: Any) -> None:
    """Give a function a type that its body does not have."""
    operation = function.operation
    broken = Type.parse("(i64, i64) -> i32", operation.context)
    operation.attributes["function_type"] = TypeAttr.get(broken, context=operation.context)


def mark(op: Any) -> None:
    """Set an attribute."""
    op.operation.attributes["x.marked"] = UnitAttr.get(op.operation.context)


class MarkAdditions(OperationPass[func.FuncOp]):
    """Mark additions."""

    name = "mark-additions"

    def run(self, op: func.FuncOp, ctx: PassContext) -> None:
        """Set an attribute."""
        assert isinstance(op, func.FuncOp)
        for inner in MLIRAdapter().children(op):
            if isinstance(inner, arith.AddIOp):
                mark(inner)


def test_a_python_pass_on_a_module() -> None:
    """A pass anchored on a class of the bindings runs nested, given a `Module` and no context."""
    context = Context()
    module = Module.parse(REGISTERED, context=context)
    manager = PassManager("builtin.module")
    manager.nest("func.func").add(MarkAdditions())
    manager.run(module)
    assert "arith.addi %arg0, %arg0 {x.marked} : i32" in str(module)
    text = str(module)
    manager.run(module.operation)
    assert str(module) == text


def test_a_pass_that_breaks_the_ir() -> None:
    """A broken function is reported with its place, and in MLIR's words."""

    class Break(OperationPass[func.FuncOp]):
        """Break functions."""

        name = "break"

        def run(self, op: func.FuncOp, ctx: PassContext) -> None:
            """Break it."""
            break_(op)

    context = Context()
    module = parse_source(context, REGISTERED, "p.mlir")
    manager = PassManager("builtin.module")
    manager.nest("func.func").add(Break())
    with pytest.raises(PassFailedError) as caught:
        manager.run(module)
    (failure,) = caught.value.failures
    assert str(failure.location) == "p.mlir:1:1"
    assert failure.diagnostic.message.startswith("'func.func' op entry block must have 2 arguments")


def test_wrong_anchors() -> None:
    """Ops that are not isolated are refused as anchors before anything runs."""
    manager = PassManager("builtin.module")
    manager.nest("scf.if").add(Touch())
    with pytest.raises(AnchorError, match="IsolatedFromAbove"):
        manager.run(Module.parse("", context=Context()))


class Touch(Pass[Any]):
    """Do nothing."""

    name = "touch"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


def test_threads(adapter: MLIRAdapter) -> None:
    """Several threads may verify, print and fingerprint functions of one context."""
    context = adapter.create_context()
    text = "\n".join(f"func.func @f{n}(%a: i32) -> i32 {{ return %a : i32 }}" for n in range(40))
    module = parse_source(context, text, "t")  # what is inside dies with it
    functions = adapter.children(module)
    for broken in functions[::2]:
        break_(broken)

    def look(function: Any) -> str:
        adapter.fingerprint(function)
        adapter.print_op(function, PrintFlags(generic=True))
        try:
            adapter.verify(function, recursive=True)
        except InvalidIR as error:
            return "invalid" if error.op == function else "confused"
        return "valid"

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(look, functions)) == ["invalid", "valid"] * 20
