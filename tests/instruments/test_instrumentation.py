"""When hooks are called, in which order, and what they cannot do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from passel import PassFailedError, PassInstrumentation, PassManager
from passel.testing import EventRecorder, ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


MODULE = "toy.module(toy.func @f,toy.func @g)"


def nothing(_op: Any, _pass: Any) -> None:
    """Do nothing, as a function that is a pass."""


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


def test_the_top_level_pipeline_has_no_pipeline_hooks(
    events: Callable[[str, str], list[str]],
) -> None:
    """Only nested pipelines are announced."""
    assert events("toy.module(a)", MODULE) == [
        "before-pass a toy.module",
        "after-pass a toy.module",
    ]


def test_a_step_that_matches_nothing_has_its_hooks(events: Callable[[str, str], list[str]]) -> None:
    """A nested step starts and ends, whether or not any op takes it."""
    assert events("toy.module(toy.module(a))", MODULE) == [
        "before-pass [toy.module] toy.module",
        "after-pass [toy.module] toy.module",
    ]


def test_an_empty_nested_pipeline_has_its_hooks(events: Callable[[str, str], list[str]]) -> None:
    """A pipeline without passes starts and ends as well."""
    assert events("toy.module(toy.func())", "toy.module(toy.func @f)")[1:3] == [
        "before-pipeline toy.func @f",
        "after-pipeline toy.func @f",
    ]


def test_a_merged_step_names_all_its_anchors(events: Callable[[str, str], list[str]]) -> None:
    """One step stands for all merged pipelines."""
    log = events("toy.module(toy.module(a),toy.func(b))", "toy.module(toy.func @f)")
    assert log[0] == "before-pass [toy.func,toy.module] toy.module"
    assert log[1] == "before-pipeline toy.func @f"


def test_hooks_pair_on_failure(events: Callable[[str, str], list[str]]) -> None:
    """Failed passes, pipelines and steps all end, as failed; siblings as usual."""
    assert events("toy.module(toy.func(fail{at=f},a),b)", MODULE) == [
        "before-pass [toy.func] toy.module",
        "before-pipeline toy.func @f",
        "before-pass fail @f",
        "after-pass-failed fail @f",
        "after-pipeline-failed toy.func @f",
        "before-pipeline toy.func @g",
        "before-pass fail @g",
        "after-pass fail @g",
        "before-pass a @g",
        "after-pass a @g",
        "after-pipeline toy.func @g",
        "after-pass-failed [toy.func] toy.module",
    ]


@pytest.mark.parametrize("pipeline", ["any(crash)", "any(set)"])
def test_crashes_and_invalid_ir_are_failures_to_hooks(
    events: Callable[[str, str], list[str]], pipeline: str
) -> None:
    """Whatever the reason, the pass failed: the verifier has its say before the hook."""
    assert [event.split()[0] for event in events(pipeline, MODULE)] == [
        "before-pass",
        "after-pass-failed",
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


def test_after_hooks_run_in_reverse_order(parse: Callable[[str], PassManager]) -> None:
    """With several instrumentations, hooks nest."""
    calls: list[str] = []

    class Watch(PassInstrumentation):
        def __init__(self, name: str) -> None:
            self.name = name

        def before_pipeline(self, pipeline: Any, op: Any, parent: Any) -> None:
            calls.append(f"<<{self.name}")

        def after_pipeline(self, pipeline: Any, op: Any, parent: Any, *, failed: bool) -> None:
            calls.append(f"{self.name}>>")

        def before_pass(self, step: Any, op: Any) -> None:
            calls.append(f"<{self.name}")

        def after_pass(self, step: Any, op: Any) -> None:
            calls.append(f"{self.name}>")

        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            calls.append(f"{self.name}!")

    pm = parse("toy.module(toy.func(a,fail))")
    pm.add_instrumentation(Watch("1"))
    pm.add_instrumentation(Watch("2"))
    with pytest.raises(PassFailedError):
        pm.run(parse_toy("toy.module(toy.func)"))
    assert " ".join(calls) == "<1 <2 <<1 <<2 <1 <2 2> 1> <1 <2 2! 1! 2>> 1>> 2! 1!"


HOOKS = ["before_pipeline", "after_pipeline", "before_pass", "after_pass", "after_pass_failed"]


@pytest.mark.parametrize("hook", HOOKS)
def test_a_raising_instrumentation_is_disabled_and_logged_once(
    parse: Callable[[str], PassManager],
    adapter: ToyAdapter,
    caplog: pytest.LogCaptureFixture,
    hook: str,
) -> None:
    """Whichever hook raises, the run goes on, others see all of it, and the log says it once."""
    calls: list[str] = []

    def raising(self: object, *args: Any, **kwargs: Any) -> None:
        calls.append("raised")
        raise RuntimeError

    def counting(self: object, *args: Any, **kwargs: Any) -> None:
        calls.append("called")

    methods = {name: raising if name == hook else counting for name in HOOKS}
    broken = type("Broken", (PassInstrumentation,), methods)()

    def run(*instrumentations: PassInstrumentation) -> tuple[str, list[str]]:
        pm, recorder = parse("toy.module(a,toy.func(set{to=4},fail{at=g}))"), EventRecorder()
        for instrumentation in (*instrumentations[:1], recorder, *instrumentations[1:]):
            pm.add_instrumentation(instrumentation)
        module = parse_toy(MODULE)
        with pytest.raises(PassFailedError) as info:
            pm.run(module)
        return f"{module} {info.value}", recorder.events

    with caplog.at_level(logging.ERROR, "passel"):
        assert run(broken) == run()
    assert calls.count("raised") == 1
    assert calls[-1] == "raised"
    (record,) = caplog.records
    assert record.name == "passel"
    assert record.getMessage() == "instrumentation Broken raised and is disabled for this run"
    assert record.exc_info is not None


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


def test_before_hooks_see_the_op_before_and_after_hooks_after(
    parse: Callable[[str], PassManager],
) -> None:
    """Hooks are called around the body of the pass."""
    seen: list[int] = []

    class Watch(PassInstrumentation):
        def before_pass(self, step: Any, op: ToyOp) -> None:
            seen.append(op.value)

        def after_pass(self, step: Any, op: ToyOp) -> None:
            seen.append(op.value)

    pm = parse("any(set{to=1},set{to=2})")
    pm.add_instrumentation(Watch())
    pm.run(parse_toy("toy.module"))
    assert seen == [0, 1, 1, 2]
