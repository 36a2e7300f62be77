"""When hooks are called, in which order, and what they cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import PassFailedError, PassInstrumentation, PassManager
from passel.testing import parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


MODULE = "toy.module(toy.func @f,toy.func @g)"


def fail(_: Any, pass_: Any) -> None:
    """Fail, as a function that is a pass."""
    pass_.signal_pass_failure()


def test_hooks_nest_like_the_pipeline(events: Callable[[str, str], list[str]]) -> None:
    """Steps with nested pipelines have pass hooks, each op's pipeline has pipeline hooks."""
    assert events("toy.module(a,toy.func(b))", MODULE) == [
        "before-pass a toy.module",
        "after-pass a toy.module",
        "before-pass [toy.func] toy.module",
        "before-pipeline toy.func @f",
        "before-pass b @f",
        "after-pass b @f",
        "after-pipeline toy.func @f",
        "before-pipeline toy.func @g",
        "before-pass b @g",
        "after-pass b @g",
        "after-pipeline toy.func @g",
        "after-pass [toy.func] toy.module",
    ]


def test_the_failed_hook_gets_the_failure(parse: Callable[[str], PassManager]) -> None:
    """It is the one that the run raises; a step that only contains failed passes has none."""
    seen: list[Any] = []

    class Watch(PassInstrumentation):
        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            seen.append(failure)

    pm = parse("toy.module(toy.func(fail{at=f}))")
    pm.add_instrumentation(Watch())
    with pytest.raises(PassFailedError) as info:
        pm.run(parse_toy(MODULE))
    assert seen == [info.value.failures[0], None]


def test_pipeline_hooks_get_the_step_that_runs_the_pipeline(
    parse: Callable[[str], PassManager],
) -> None:
    """`parent` is the very step whose pass hooks are around."""
    seen: list[Any] = []

    class Watch(PassInstrumentation):
        def before_pass(self, step: Any, op: Any) -> None:
            seen.append(step)

        def before_pipeline(self, pipeline: Any, op: Any, parent: Any) -> None:
            assert pipeline in parent.pipelines
            seen.append(parent)

    pm = parse("toy.module(toy.func())")
    pm.add_instrumentation(Watch())
    pm.run(parse_toy("toy.module(toy.func)"))
    assert seen[0] is seen[1]


def test_a_raising_instrumentation_is_enabled_again_by_the_next_run(
    parse: Callable[[str], PassManager], caplog: pytest.LogCaptureFixture
) -> None:
    """It is disabled for the run only."""

    class Broken(PassInstrumentation):
        def before_pass(self, step: Any, op: Any) -> None:
            raise RuntimeError

    pm = parse("toy.module(a,b)")
    pm.add_instrumentation(Broken())
    for _ in range(2):
        pm.run(parse_toy(MODULE))
    assert len(caplog.records) == 2
