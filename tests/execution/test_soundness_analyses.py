"""Analyses and nested pipelines; what passes claim of analyses, of changes and of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mlir.ir import Context as MLIRContext
from mlir.ir import Module, UnitAttr
from toy_steps import (
    FUNCS,
    EqualTotal,
    Total,
    children,
    failure_of,
    keep,
    look,
    look_inside,
    manager,
    nothing,
    pipeline,
    step,
)
from xdsl.dialects import builtin

from passel import Pass, PassContext, PassFailedError, PassManager, Statistic
from passel.testing import ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from passel import PreservedAnalyses


class Asked(Total):
    """Survives, and notes what it is asked."""

    asked: list[tuple[bool, bool]]

    def __init__(self, op: Any) -> None:
        self.asked = []

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Take note."""
        self.asked.append((preserved.none, preserved.is_preserved(Asked)))
        return False


def change(op: ToyOp, ctx: PassContext) -> None:
    """Change the op."""
    op.value += 1


def test_a_nested_pipeline_that_a_gate_skips_drops_nothing() -> None:
    """Nothing of it has run."""
    seen: list[bool] = []
    pm = manager(keep(Total), pipeline(step(nothing)), look(seen, Total))
    pm.add_gate(lambda step, _: step.pass_ is not None)
    pm.run(parse_toy(FUNCS))
    assert seen == [True]


@pytest.mark.parametrize("jobs", [1, 2])
def test_analyses_of_nested_ops_end_with_their_pipeline(jobs: int) -> None:
    """They are dropped even if all passes preserve them, also after pipelines in workers."""
    seen: list[bool] = []
    nested = pipeline(step(change, preserves=(Total,)))
    pm = manager(children(Total, preserving=(Total,)), nested, look_inside(seen, Total))
    pm.run(parse_toy(FUNCS), jobs=jobs)
    assert seen == [False, False]


def test_what_survives_a_nested_pipeline_is_held_against_the_ir() -> None:
    """An analysis that says it survives, and would be another one, is a failure."""

    class Stubborn(EqualTotal):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return False

    pm = manager(keep(Stubborn), pipeline(step(change)))
    pm.enable_analysis_verifier()
    failure = failure_of(pm, "toy.module(toy.func)")
    assert failure.kind == "failed"
    assert "Stubborn" in failure.diagnostic.message


# -- Claims ----------------------------------------------------------------------------------


class Lie(Pass[Any]):
    """Change the op, and deny it."""

    name = "lie"
    seen = Statistic("Seen")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Change it."""
        if isinstance(op, builtin.ModuleOp):
            op.attributes["seen"] = builtin.UnitAttr()
        else:
            op.operation.attributes["x.seen"] = UnitAttr.get(op.operation.context)
        ctx.preserve_all()


def module_of(ir: str) -> tuple[PassManager, Any]:
    """Return a manager for modules of an IR, and a module."""
    text = "func.func @a() { return }"
    if ir == "xdsl":
        context = XDSLAdapter().create_context()
        return PassManager("builtin.module", context), parse_source(context, text, "in.mlir")
    native = MLIRContext()
    return PassManager("builtin.module", native), Module.parse(text, native)


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_a_false_claim_to_preserve_everything_is_refused(ir: str) -> None:
    """The check of claims compares the ops of passes that preserve everything."""
    pm, module = module_of(ir)
    pm.add(Lie())
    pm.enable_analysis_verifier()
    with pytest.raises(PassFailedError, match="claims to preserve everything, but changed"):
        pm.run(module, on_diagnostic=lambda _: None)


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
@pytest.mark.parametrize(
    ("statistic", "amount", "message"),
    [
        (Lie.seen, -1, "statistic 'seen' cannot be increased by -1"),
        (Statistic("Others"), 1, "declare it in the class body"),
    ],
)
def test_counts_that_cannot_be_are_errors(
    ir: str, statistic: Statistic, amount: int, message: str
) -> None:
    """Negative ones, and of statistics that the pass does not declare."""

    class Miscount(Lie):
        name = "miscount"

        def run(self, op: Any, ctx: PassContext) -> None:
            ctx.count(statistic, amount)

    pm, module = module_of(ir)
    with pytest.raises(PassFailedError, match=message) as caught:
        pm.add(Miscount()).run(module, on_diagnostic=lambda _: None)
    (failure,) = caught.value.failures
    assert failure.kind == "crashed"
    assert isinstance(failure.cause, ValueError)
