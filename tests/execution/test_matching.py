"""Nested pipelines that find no op to run on."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from passel import Pass, PassContext, PassManager
from passel.xdsl import XDSLAdapter, parse_source

ADAPTER = XDSLAdapter()
SOURCE = """
builtin.module {
  builtin.module { func.func @a() { func.return } }
  builtin.module { func.func @b() { func.return } }
}
func.func @c() { func.return }
"""


class Nothing(Pass[Any]):
    """Do nothing."""

    name = "nothing"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Leave the op alone."""


class NestsByItself(Pass[Any]):
    """Runs a pipeline that finds no op."""

    name = "nests-by-itself"

    def run(self, op: ModuleOp, ctx: PassContext) -> None:
        """Run it."""
        ctx.run_pipeline(PassManager("builtin.module").add_nested("func.func", Nothing()), op)


def unmatched(pipeline: str, **how: Any) -> tuple[str, ...]:
    """Run a pipeline and return what found no op."""
    context = ADAPTER.create_context()
    module = parse_source(context, SOURCE, "in.mlir")
    return PassManager.parse(pipeline, context).run(module, **how).unmatched


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("func.func(cse)", ""),
        ("any(cse)", ""),
        ("cse", ""),
        ("gpu.module(cse,cse)", "gpu.module(cse,cse)"),
        ("gpu.module(gpu.func(cse))", "gpu.module(gpu.func(cse))"),
        ("gpu.module()", ""),
        ("builtin.module(builtin.module(gpu.func(cse),func.func(cse)))",
         "builtin.module(builtin.module(gpu.func(cse)))"),
        # Only the innermost ones have no such op.
        ("builtin.module(func.func(cse))", "builtin.module(func.func(cse))"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("jobs", [1, 2])
def test_those_that_find_no_op(inside: str, expected: str, jobs: int) -> None:
    """Only what ran on nothing is reported, with what encloses it, in any number of processes."""
    found = unmatched(f"builtin.module({inside})", jobs=jobs)
    assert found == ((f"builtin.module({expected})",) if expected else ())


@pytest.mark.parametrize(
    "pipeline",
    [
        "builtin.module(func.func(cse),symbol-dce,func.func(dce))",
        "builtin.module(symbol-dce,func.func(dce))",
        "builtin.module(builtin.module(symbol-dce,func.func(dce)))",
        "builtin.module(func.func(any(cse)))",
        "builtin.module(symbol-dce,any(dce))",
    ],
)
def test_ops_that_were_there_at_first(pipeline: str) -> None:
    """A pass may erase all ops that a later pipeline is for, and `any` need not find one."""
    context = ADAPTER.create_context()
    source = "module { func.func private @b() { func.return } } func.func private @a() { return }"
    module = parse_source(context, source.replace("{ return", "{ func.return"), "in.mlir")
    assert PassManager.parse(pipeline, context).run(module).unmatched == ()


def test_two_of_one_anchor() -> None:
    """Each for which there never was an op is reported by itself."""
    assert unmatched("builtin.module(gpu.module(cse),symbol-dce,gpu.module(dce))") == (
        "builtin.module(gpu.module(cse))",
        "builtin.module(gpu.module(dce))",
    )


def test_dynamic_pipelines_are_not_looked_at() -> None:
    """A pass that runs a pipeline wherever it may apply is no mistake."""
    context = ADAPTER.create_context()
    manager = PassManager("builtin.module", context).add(NestsByItself())
    assert manager.run(ModuleOp([])).unmatched == ()
