"""Nested pipelines that find no op to run on."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from passel import Pass, PassContext, PassManager
from passel.execution.strategies.forked import Forked
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


def test_two_of_one_anchor() -> None:
    """Each is reported by itself: the second comes when the ops are gone."""
    context = ADAPTER.create_context()
    module = parse_source(context, "func.func private @a() { func.return }", "in.mlir")
    manager = PassManager.parse("builtin.module(func.func(cse),symbol-dce,func.func(dce))", context)
    assert manager.run(module).unmatched == ("builtin.module(func.func(dce))",)


def test_matches_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What worker processes found is known where the run began."""

    def eager(jobs: int, executor: object) -> Forked:
        return Forked(jobs, eager=True, helps=False)

    monkeypatch.setattr("passel.manager.pass_manager.strategy_for", eager)
    pipeline = "builtin.module(builtin.module(builtin.module(func.func(cse),gpu.func(cse))))"
    assert unmatched(pipeline, jobs=2) == unmatched(pipeline, jobs=1) == (
        "builtin.module(builtin.module(builtin.module(gpu.func(cse))))",
    )  # fmt: skip


def test_dynamic_pipelines_are_not_looked_at() -> None:
    """A pass that runs a pipeline wherever it may apply is no mistake."""
    context = ADAPTER.create_context()
    manager = PassManager("builtin.module", context).add(NestsByItself())
    assert manager.run(ModuleOp([])).unmatched == ()
