"""What an analysis is, and how often it is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from toy_steps import (
    Both,
    Names,
    Total,
    computed,
    events,
    failure_of,
    manager,
    step,
)

from passel.testing import EventRecorder, ToyOp, parse_toy

if TYPE_CHECKING:
    from passel import (
        AnalysisManager,
        PassContext,
    )

# -- What is an analysis ---------------------------------------------------------------------


def test_an_analysis_may_take_the_analyses_of_its_op() -> None:
    """A class that takes two arguments gets the op and its analyses, from which it is built."""
    seen: list[bool] = []

    class Same:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            seen.append(analyses.op is op)

    def body(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Same)
        seen.append(ctx.analysis(Both).total is ctx.analysis(Total))

    manager(step(body)).run(parse_toy("toy.module"))
    assert seen == [True, True]


def test_a_second_parameter_with_a_default_is_the_analysis_own_affair() -> None:
    """Only a second argument that is required is given."""
    seen: list[int] = []

    class Limited:
        def __init__(self, op: ToyOp, limit: int = 7) -> None:
            seen.append(limit)

    manager(step(lambda _, ctx: ctx.analysis(Limited))).run(parse_toy("toy.module"))
    assert seen == [7]


def test_a_class_without_a_signature_takes_the_op() -> None:
    """Classes written in C, which do not say what they take, are given the op."""
    seen: list[str] = []
    manager(step(lambda _, ctx: seen.append(ctx.analysis(str)))).run(parse_toy("toy.module 4"))
    assert seen == ["toy.module 4"]


class TakesNothing:
    """Takes nothing at all."""


class TakesThree:
    """Takes too much."""

    def __init__(self, op: ToyOp, analyses: AnalysisManager, more: int) -> None: ...


class TakesKeyword:
    """Takes a keyword that is never given."""

    def __init__(self, op: ToyOp, *, more: int) -> None: ...


@pytest.mark.parametrize("kind", [TakesNothing, TakesThree, TakesKeyword, "Total", 3])
def test_anything_else_is_no_analysis(kind: Any) -> None:
    """What can't be constructed is refused by name, before anything is computed."""
    pm = manager(step(lambda _, ctx: ctx.analysis(kind)))
    recorder = EventRecorder()
    pm.add_instrumentation(recorder)
    failure = failure_of(pm)
    assert failure.kind == "crashed"
    assert type(failure.cause).__name__ == "DefinitionError"
    assert f"{kind!r} is no analysis: it " in str(failure.cause)
    assert not [event for event in recorder.events if "analysis" in event]


# -- Computing and caching -------------------------------------------------------------------


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
    recorder = EventRecorder()
    pm.add_instrumentation(recorder)
    failure = failure_of(pm)
    assert failure.kind == "crashed"
    assert isinstance(failure.cause, ZeroDivisionError)
    assert failure.cause.__context__ is None
    assert recorder.events == [
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
