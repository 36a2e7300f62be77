"""Pipelines that passes on MLIR's ops build and run, as MLIR's documentation writes it."""

from __future__ import annotations

from typing import Any

import pytest
from mlir.ir import Context

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassManager,
    option,
)
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
