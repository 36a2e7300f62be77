"""Pipelines that passes on MLIR's ops build and run, as MLIR's documentation writes it."""

from __future__ import annotations

from typing import Any

import pytest
from mlir.ir import Context

from passel import (
    AnchorError,
    EffectsError,
    OpPassManager,
    Pass,
    PassContext,
    PassManager,
    option,
)
from passel.manager import BarePipeline
from passel.mlir import parse_source

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


@pytest.fixture
def module() -> Any:
    """A module of MLIR's, of a context that is not entered."""
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


# -- Pipelines that were built before a run --------------------------------------------------


class RunsIt(Pass[Any]):
    """Run a pipeline that was built before."""

    name = "runs-it"
    pipeline: OpPassManager = OpPassManager("func.func")
    inner: BarePipeline = BarePipeline()

    def run(self, op: Any, ctx: PassContext) -> None:
        """Run both."""
        assert ctx.run_pipeline(self.pipeline)
        assert ctx.run_pipeline(self.inner)


def run_with(module: Any, **options: Any) -> str:
    """Run pipelines on the function of a module."""
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(RunsIt(**options))
    manager.run(module)
    return str(module)


def test_names_are_looked_up_when_a_pipeline_is_built(module: Any) -> None:
    """In a context they are those of its IR; outside, those that xDSL has are xDSL's."""
    with module.context:
        pipeline = OpPassManager("func.func").add("cse").add("convert-arith-to-llvm")
    text = run_with(module, pipeline=pipeline.copy())
    assert (text.count("llvm.add"), "arith." in text) == (1, False)
    with pytest.raises(AnchorError, match="pass 'cse' runs on xdsl ops, but this pipeline runs"):
        run_with(module, pipeline=OpPassManager("func.func").add("cse"))


def test_effects_are_those_of_what_is_run(module: Any) -> None:
    """What may not be run is refused whatever the name was taken for when it was written."""
    pipeline = OpPassManager("func.func").add("snapshot-op-locations{filename=x.mlir}")
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(RunsIt(pipeline=pipeline))
    manager.restrict_effects()
    with pytest.raises(EffectsError, match="writes files"):
        manager.check()
