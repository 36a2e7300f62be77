"""What passes say that they preserve, what analyses decide, and when they are dropped."""

from __future__ import annotations

from typing import Any

import pytest
from event_recorder import EventRecorder
from toy_steps import (
    FUNCS,
    Names,
    Total,
    failure_of,
    keep,
    look,
    manager,
    nothing,
    pipeline,
    step,
)

from passel import AllAnalyses, Pass, PassContext, PassFailure, PreservedAnalyses
from passel.testing import ToyAdapter, ToyOp, parse_toy

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
    recorder = EventRecorder()
    pm.add_instrumentation(recorder)
    failure = failure_of(pm, "toy.module(toy.func @f)")
    assert (failure.kind, failure.symbol) == ("crashed", "f")
    assert recorder.events[-3:] == [
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
