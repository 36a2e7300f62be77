"""When analyses are dropped: of the ops inside, of nested pipelines, at the end of a run."""

from __future__ import annotations

from typing import Any

import pytest
from toy_steps import (
    FUNCS,
    Immortal,
    Names,
    Total,
    children,
    computed,
    failure_of,
    keep,
    look,
    look_inside,
    manager,
    nothing,
    pipeline,
    step,
)

from passel import (
    AnalysisManager,
    OpPassManager,
    PassContext,
    PassFailure,
    PreservedAnalyses,
)
from passel.testing import EventRecorder, ToyAdapter, ToyOp, parse_toy

# -- The ops inside --------------------------------------------------------------------------


def test_preserved_analyses_of_ops_inside_survive_to_the_next_pass() -> None:
    """What is preserved is so for the ops inside, and what is not is dropped there too."""
    seen: list[bool] = []
    pm = manager(children(Total, Names, preserving=(Total,)), look_inside(seen, Total, Names))
    pm.run(parse_toy(FUNCS))
    assert seen == [True, False, True, False]


def test_if_nothing_is_preserved_ops_inside_are_not_even_asked() -> None:
    """An analysis of an op inside cannot survive a pass that preserves nothing."""
    seen: list[bool] = []
    manager(children(Immortal, preserving=()), look_inside(seen, Immortal)).run(parse_toy(FUNCS))
    assert seen == [False, False]


def test_if_something_is_preserved_ops_inside_decide_for_themselves() -> None:
    """An analysis of an op inside is asked as one of the op itself is."""
    seen: list[bool] = []
    pm = manager(children(Immortal, preserving=(Names,)), look_inside(seen, Immortal))
    pm.run(parse_toy(FUNCS))
    assert seen == [True, True]


def test_what_is_dropped_from_one_op_counts_as_preserved_for_others() -> None:
    """Each op is filtered from what the pass preserved; its own losses do not cross ops."""
    seen: list[bool] = []

    class MortalAtF(Total):
        def __init__(self, op: ToyOp) -> None:
            super().__init__(op)
            self.mortal = op.symbol in (None, "f")

        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return self.mortal

    class Of:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            analyses.analysis(MortalAtF)

        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return not preserved.is_preserved(MortalAtF)

    own = keep(Of, MortalAtF)
    inside = children(Of, preserving=(MortalAtF,))
    both = step(lambda op, ctx: (own.run(op, ctx), inside.run(op, ctx)))
    manager(both, look(seen, Of), look_inside(seen, Of)).run(parse_toy(FUNCS))
    assert seen == [False, False, True]


# -- Nested pipelines and the end ------------------------------------------------------------


@pytest.mark.parametrize(
    "nested",
    [
        pytest.param(OpPassManager("toy.func").add(step(nothing)), id="matches nothing"),
        pytest.param(OpPassManager("any").add(keep(Immortal)), id="preserves what it uses"),
        pytest.param(
            OpPassManager("any").add(step(lambda _, ctx: ctx.preserve_all())), id="preserves all"
        ),
    ],
)
def test_a_nested_pipeline_preserves_nothing_that_its_passes_do_not_declare(
    nested: OpPassManager,
) -> None:
    """What passes say of one run is about their own op; only who decides itself survives."""
    seen: list[bool] = []
    ask = step(
        lambda op, ctx: (
            ctx.analysis(Total),
            ctx.analysis(Immortal),
            [ctx.child_analysis(Total, inner) for inner in op.body],
            ctx.preserve_all(),
        )
    )
    pm = manager(ask, nested, look(seen, Total, Immortal), look_inside(seen, Total))
    pm.run(parse_toy("toy.module(toy.module @m)"))
    assert seen == [False, True, False]


def test_a_nested_pipeline_starts_from_what_its_parent_computed_for_its_op() -> None:
    """Preserved analyses of an op inside are there when passes run on it, and are filtered."""
    seen: list[bool] = []
    funcs = pipeline(look(seen, Total), step(nothing), look(seen, Total))
    pm = manager(children(Total, preserving=(Total,)), funcs)
    assert computed(pm, FUNCS) == ["Total @f", "Total @g"]
    assert seen == [True, False, True, False]


# -- When ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [None, PassFailure, ValueError])
def test_invalidation_comes_before_verification_and_hooks_also_after_a_failure(
    error: type[Exception] | None,
) -> None:
    """Analyses are asked right after the pass, whether or not it failed."""
    order: list[str] = []

    class Asked(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            order.append("invalidate")
            return True

    class Adapter(ToyAdapter):
        def verify(self, op: ToyOp, *, recursive: bool) -> None:
            order.append("verify")

    class Recorder(EventRecorder):
        def after_pass(self, step: Any, op: Any) -> None:
            order.append("hook")

        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            order.append("hook")

    def body(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Asked)
        op.value = 1
        if error is not None:
            raise error

    pm = manager(step(body), adapter=Adapter())
    pm.add_instrumentation(Recorder())
    if error is None:
        pm.run(parse_toy("toy.module"))
    else:
        failure_of(pm, "toy.module")
    assert order == ["invalidate", *(() if error else ("verify",)), "hook"]
