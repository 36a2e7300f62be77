"""What a pipeline that a pass runs knows of analyses, and leaves of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from toy_steps import DEEP, Total, manager, nothing, pipeline, step

from passel import OpPassManager
from passel.testing import ToyOp, parse_toy

if TYPE_CHECKING:
    from passel import PassContext


def test_a_change_inside_invalidates_the_ops_between() -> None:
    """What is computed anew of an op between counts what passes deeper inside have added."""
    seen: list[int] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        middle = op.body[0]
        before = ctx.child_analysis(Total, middle).value
        grow = step(lambda op, _: op.add(ToyOp("toy.op", value=1)))
        ctx.run_pipeline(pipeline(grow), middle.body[0])
        seen.append(ctx.child_analysis(Total, middle).value - before)

    manager(step(outer)).run(parse_toy(DEEP))
    assert seen == [1]


def test_passes_inside_see_the_analyses_around() -> None:
    """On an op inside, the caller's analyses and those between are parents' analyses."""
    seen: list[bool] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        mine, middle = ctx.analysis(Total), ctx.child_analysis(Total, op.body[0])
        inner = step(
            lambda _, ctx: seen.extend(
                [ctx.parent_analysis(Total) is middle, ctx.parent_analysis(Total, op) is mine]
            )
        )
        ctx.run_pipeline(pipeline(inner), op.body[0].body[0])

    manager(step(outer)).run(parse_toy(DEEP))
    assert seen == [True, True]


# -- Passes that declare to preserve an analysis ---------------------------------------------


def _help(ctx: PassContext, inner: OpPassManager, op: ToyOp) -> None:
    """Run a pipeline for a pass whose own code does not do so."""
    ctx.run_pipeline(inner, op)


CARELESS, CAREFUL = step(nothing), step(nothing, preserves=(Total,))


@pytest.mark.parametrize(
    ("inner", "is_kept"),
    [
        (pipeline(CAREFUL), True),
        (pipeline(CAREFUL, CARELESS), False),
        (pipeline(pipeline(CAREFUL)), True),
    ],
)
@pytest.mark.parametrize("is_nested", [False, True])
def test_what_a_pass_declares_to_preserve_its_pipelines_have_to_preserve(
    inner: OpPassManager, is_kept: bool, is_nested: bool
) -> None:
    """However it runs them, and whether it runs on the op or on one nested in it."""
    seen: list[bool] = []

    def on_module(op: ToyOp, ctx: PassContext) -> None:
        _help(ctx, inner, op.body[0])

    def on_function(op: ToyOp, ctx: PassContext) -> None:
        _help(ctx, OpPassManager("any").add(step(on_module, preserves=(Total,))), op)

    body = on_function if is_nested else on_module
    outer = step(body, preserves=(Total,))
    look = step(lambda _, ctx: seen.append(ctx.cached_analysis(Total) is not None))
    first = step(lambda _, ctx: (ctx.analysis(Total), ctx.preserve(Total)))
    between = pipeline(outer) if is_nested else outer
    ir = "toy.module(toy.func @f(toy.func @g))"
    manager(first, between, look).run(parse_toy(ir))
    assert seen == [is_kept]
