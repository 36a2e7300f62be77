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

from passel import Pass, PassContext, PassFailedError, PassManager, Statistic
from passel.testing import ToyOp, parse_toy

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


@pytest.mark.parametrize("is_mlir", [False, True])
def test_a_false_claim_to_preserve_everything_is_refused(is_mlir: bool) -> None:
    """The check of claims compares the ops of passes that preserve everything, on MLIR too."""

    def lie(op: Any, ctx: PassContext) -> None:
        if is_mlir:
            op.operation.attributes["x.seen"] = UnitAttr.get(op.operation.context)
        else:
            op.value += 1
        ctx.preserve_all()

    context = MLIRContext()
    pm = PassManager("builtin.module", context) if is_mlir else manager()
    pm.add(step(lie)).enable_analysis_verifier()
    module = Module.parse("", context) if is_mlir else parse_toy(FUNCS)
    with pytest.raises(PassFailedError, match="claims to preserve all analyses, but changed"):
        pm.run(module, on_diagnostic=lambda _: None)


SEEN = Statistic("Seen")


@pytest.mark.parametrize(
    ("statistic", "amount", "message"),
    [
        (SEEN, -1, "statistic 'seen' cannot be increased by -1"),
        (Statistic("Others"), 1, "Statistic('Others') is not declared in the class of 'miscount'"),
    ],
)
def test_counts_that_cannot_be_are_errors(statistic: Statistic, amount: int, message: str) -> None:
    """Negative ones, and of statistics that the pass does not declare."""

    class Miscount(Pass):
        name = "miscount"
        seen = SEEN

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            ctx.count(statistic, amount)

    failure = failure_of(manager(Miscount()))
    assert failure.kind == "crashed"
    assert message in failure.diagnostic.message
    assert isinstance(failure.cause, ValueError)
