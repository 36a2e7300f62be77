"""What is cached for an op, and who sees it."""

from __future__ import annotations

import pytest
from toy_steps import DEEP, FUNCS, Names, Total, computed, keep, manager, pipeline, step

from passel import (
    OpPassManager,
    PassContext,
)
from passel.testing import ToyOp, parse_toy


@pytest.mark.one_process
def test_a_parent_analysis_may_be_stale() -> None:
    """What nested passes change is not seen in what their parent cached before."""
    seen: list[int] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        op.value = 5
        total = ctx.parent_analysis(Total)
        assert total is not None
        seen.append(total.value)

    manager(keep(Total), pipeline(step(body))).run(parse_toy(FUNCS))
    assert seen == [0, 0]


def test_parent_analysis_takes_any_op_around() -> None:
    """Without an op it is the one immediately around; what is not around has none."""
    seen: list[list[object]] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        middle = op.parent
        assert middle is not None
        seen.append(
            [
                found and found.value
                for found in (
                    ctx.parent_analysis(Total),
                    ctx.parent_analysis(Total, middle),
                    ctx.parent_analysis(Total, middle.parent),
                    ctx.parent_analysis(Total, op),
                    ctx.parent_analysis(Names, middle) and None,
                )
            ]
        )

    middle = OpPassManager("toy.module").add(keep(Names), pipeline(step(body)))
    manager(keep(Total), middle).run(parse_toy("toy.module 9(toy.module @m(toy.func @f))"))
    assert seen == [[None, None, 9, None, None]]


def test_child_analysis_is_for_ops_inside_only() -> None:
    """The op itself, and what is not inside of it, is refused."""

    def body(op: ToyOp, ctx: PassContext) -> None:
        for other in (op, op.parent, ToyOp("toy.func")):
            with pytest.raises(ValueError, match="not nested"):
                ctx.child_analysis(Total, other)

    assert computed(manager(pipeline(step(body))), FUNCS) == []


def test_cached_child_analysis_looks_one_level_down_and_never_computes() -> None:
    """Children are found if they are cached; what is further inside is not looked for."""
    seen: list[bool] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        middle = op.body[0]
        seen.append(ctx.cached_child_analysis(Total, middle) is not None)
        ctx.child_analysis(Total, middle)
        ctx.child_analysis(Total, middle.body[0])
        seen.append(ctx.cached_child_analysis(Total, middle) is not None)
        seen.append(ctx.cached_child_analysis(Total, middle.body[0]) is not None)

    assert computed(manager(step(body)), DEEP) == ["Total @m", "Total @f"]
    assert seen == [False, True, False]
