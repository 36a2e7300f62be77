"""What an analysis is, how often it is computed, who sees what is cached, and what is preserved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder
from toy_steps import (
    DEEP,
    FUNCS,
    Both,
    Names,
    Total,
    computed,
    events,
    failure_of,
    keep,
    look,
    manager,
    nothing,
    pipeline,
    recorded,
    step,
)

from passel import AllAnalyses, OpPassManager, Pass, PassContext, PassFailure, PreservedAnalyses
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from passel import AnalysisManager


# -- What is an analysis ---------------------------------------------------------------------


class WithManager:
    """Takes the analyses of its op."""

    def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
        self.given = analyses.op is op


class WithDefault:
    """Takes a second argument that need not be given."""

    def __init__(self, op: ToyOp, limit: int = 7) -> None:
        self.given = limit == 7


@pytest.mark.parametrize("kind", [WithManager, WithDefault, str])
def test_what_an_analysis_is_given(kind: Any) -> None:
    """The op, and its analyses if a second argument is required; classes written in C get the op."""
    found: list[Any] = []
    manager(step(lambda _, ctx: found.append(ctx.analysis(kind)))).run(parse_toy("toy.module 4"))
    assert found[0] == "toy.module 4" if kind is str else found[0].given


def test_hooks_are_called_around_real_computations_only_and_nest() -> None:
    """A computation within a computation is between its hooks; a cached result calls none."""
    pm = manager(step(lambda _, ctx: (ctx.analysis(Names), ctx.analysis(Both), ctx.analysis(Both))))
    assert events(pm) == [
        "before-pass step toy.module",
        "before-analysis Names toy.module",
        "after-analysis Names toy.module",
        "before-analysis Both toy.module",
        "before-analysis Total toy.module",
        "after-analysis Total toy.module",
        "after-analysis Both toy.module",
        "after-pass step toy.module",
    ]


class Broken:
    """Cannot be computed."""

    def __init__(self, op: ToyOp) -> None:
        raise ZeroDivisionError


def test_an_analysis_that_raises_crashes_the_pass_and_pairs_its_hooks() -> None:
    """The pass is blamed, with the analysis's own exception, and the hooks close."""
    pm = manager(step(lambda _, ctx: ctx.analysis(Broken)))
    events = recorded(pm)
    failure = failure_of(pm)
    assert failure.kind == "crashed"
    assert isinstance(failure.cause, ZeroDivisionError)
    assert failure.cause.__context__ is None
    assert events == [
        "before-pass step toy.module",
        "before-analysis Broken toy.module",
        "after-analysis Broken toy.module",
        "after-pass-failed step toy.module",
    ]


def test_an_analysis_that_raised_is_not_cached() -> None:
    """A pass may catch the exception; the next request computes again."""
    seen: list[object] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                ctx.analysis(Broken)
        seen.append(ctx.cached_analysis(Broken))

    assert computed(manager(step(body))) == ["Broken toy.module"] * 2
    assert seen == [None]


# -- Who sees what is cached --------------------------------------------------------------------


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


# -- Preserving ------------------------------------------------------------------------------


@pytest.mark.parametrize("in_run", [False, True])
def test_all_analyses_stands_for_each(in_run: bool) -> None:
    """A pass may preserve every analysis and change its op, which is verified all the same."""
    seen: list[bool] = []

    def change(op: ToyOp, ctx: PassContext) -> None:
        op.value -= 1
        if in_run:
            ctx.preserve(AllAnalyses)

    alter = step(change, preserves=() if in_run else (AllAnalyses,))
    pm = manager(keep(Total, Names), alter, look(seen, Total, Names), alter)
    assert failure_of(pm, "toy.module 1").kind == "invalid"
    assert seen == [True, True]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ([step(nothing, preserves=(Total,))], [True, False]),
        (
            [step(nothing, preserves=(Total, Names)), step(nothing, preserves=(Names,))],
            [False, True],
        ),
        ([step(nothing, preserves=(AllAnalyses,))], [True, True]),
        ([step(lambda _, ctx: ctx.preserve_all())], [False, False]),
        ([], [True, True]),
    ],
)
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_what_all_passes_inside_declare_is_kept(
    inside: list[Pass], expected: list[bool], is_dynamic: bool
) -> None:
    """After nested pipelines, and after a dynamic pipeline on the op, for the enclosing op."""
    seen: list[bool] = []
    inner = pipeline(*inside, anchor="toy.module" if is_dynamic else "toy.func")
    runs = step(lambda _, ctx: (ctx.run_pipeline(inner), ctx.preserve_all()))
    pm = manager(keep(Total, Names), runs if is_dynamic else inner, look(seen, Total, Names))
    pm.run(parse_toy(FUNCS))
    assert seen == expected


# -- Deciding for oneself --------------------------------------------------------------------


def test_an_analysis_is_told_what_was_preserved() -> None:
    """`preserved` tells all, nothing, and each analysis apart."""
    told: list[tuple[bool, ...]] = []

    class Told(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            told.append(
                (
                    preserved.all,
                    preserved.none,
                    preserved.is_preserved(Total),
                    preserved.is_preserved(Names),
                )
            )
            return False

    ask = step(lambda _, ctx: ctx.analysis(Told))
    manager(ask, step(lambda _, ctx: ctx.preserve(Total))).run(parse_toy("toy.module"))
    assert told == [(False, True, False, False), (False, False, True, False)]
    everything = PreservedAnalyses((AllAnalyses,))
    assert (everything.all, everything.none, everything.is_preserved(Total)) == (True, False, True)


def test_is_invalidated_that_raises_crashes_the_pass() -> None:
    """What an analysis raises when it is asked fails the pass, whose hooks close."""

    class Raising(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            raise ZeroDivisionError

    pm = manager(pipeline(step(lambda _, ctx: ctx.analysis(Raising))))
    events = recorded(pm)
    failure = failure_of(pm, "toy.module(toy.func @f)")
    assert (failure.kind, failure.symbol) == ("crashed", "f")
    assert events[-3:] == [
        "after-pass-failed step @f",
        "after-pipeline-failed toy.func @f",
        "after-pass-failed [toy.func] toy.module",
    ]


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
