"""Pipelines that passes on MLIR's ops build and run, as MLIR's documentation writes it."""

from __future__ import annotations

from typing import Any

import pytest
from mlir.ir import Context

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager, option
from passel.errors import UnknownPassError
from passel.mlir import parse_source
from passel.passes import PassRegistry, default_registry

SOURCE = """func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
"""


class Dynamic(Pass[Any]):
    """Build a pipeline by name, and run it on a function."""

    name = "dynamic"
    names: str = option(default="cse", help="The passes.")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Build and run it."""
        ctx.run_pipeline(OpPassManager("func.func").add(self.names), op)


class Initialized(Pass[Any, OpPassManager]):
    """Build a pipeline when the run begins, and run it on a function."""

    name = "initialized"

    def initialize(self, ir_context: Any) -> OpPassManager:
        """Build it."""
        return OpPassManager("func.func").add("convert-arith-to-llvm")

    def run(self, op: Any, ctx: PassContext[OpPassManager]) -> None:
        """Run it."""
        ctx.run_pipeline(ctx.state, op)


@pytest.fixture
def module() -> Any:
    """A module of MLIR's, of a context that nobody has entered."""
    return parse_source(Context(), SOURCE, "t.mlir")


@pytest.mark.parametrize(
    ("names", "additions", "name"),
    [
        ("cse", 1, "arith.addi"),
        ("convert-arith-to-llvm", 2, "llvm.add"),
        ("cse,convert-arith-to-llvm", 1, "llvm.add"),
    ],
)
def test_names_are_those_of_mlir(module: Any, names: str, additions: int, name: str) -> None:
    """A pass means the passes of the ops that it runs on, also where xDSL has one of the name."""
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(Dynamic(names=names))
    manager.run(module)
    assert str(module).count(name) == additions


def test_names_when_a_pass_is_initialized(module: Any) -> None:
    """The same holds for what a pass prepares."""
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(Initialized())
    manager.run(module)
    assert "llvm.add" in str(module)


def test_names_on_the_other_side_of_a_crossing(module: Any) -> None:
    """A pass that was taken over to xDSL's ops means xDSL's passes, and MLIR's after that."""
    registry: PassRegistry = default_registry().copy()
    registry.register(Dynamic)
    text = "xdsl(dynamic{names=licm}),dynamic{names=convert-arith-to-llvm}"
    text = f"builtin.module(func.func({text}))"
    PassManager.parse(text, module.context, registry=registry).run(module)
    assert str(module).count("llvm.add") == 2


def test_nothing_is_left_when_the_run_ends(module: Any) -> None:
    """Whoever builds a pipeline after a run means the names that are registered."""
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(Dynamic())
    manager.run(module)
    with pytest.raises(UnknownPassError):
        OpPassManager("func.func").add("convert-arith-to-llvm")


def test_names_outside_a_run(module: Any) -> None:
    """What was built for xDSL's ops says what to do when it is run on MLIR's."""
    pipeline = OpPassManager("func.func").add("cse")

    class RunsIt(Pass[Any]):
        """Run a pipeline that was built before."""

        name = "runs-it"

        def run(self, op: Any, ctx: PassContext) -> None:
            """Run it."""
            ctx.run_pipeline(pipeline, op)

    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(RunsIt())
    with pytest.raises(PassFailedError, match=r"build it with PassManager\(anchor, context\)"):
        manager.run(module)
