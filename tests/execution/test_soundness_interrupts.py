"""Hooks pair whatever interrupts a run, in a hook or anywhere else, and a hook may fail a pass."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder
from hypothesis import given
from hypothesis import strategies as st
from sibling_passes import module_of

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassInstrumentation,
    PassManager,
)
from passel.execution import Run
from passel.execution.strategies import Sequential
from passel.hooks import Instrumentor
from passel.schedule import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.execution.siblings import Siblings

MODULE = "toy.module(toy.func @a,toy.func @b,toy.module @n(toy.func @c))"
PAIRS = {
    "before_run": ("after_run",),
    "before_pipeline": ("after_pipeline",),
    "before_pass": ("after_pass", "after_pass_failed"),
    "before_verification": ("after_verification",),
    "before_analysis": ("after_analysis",),
}


class Facts:
    """An analysis."""

    def __init__(self, op: ToyOp) -> None: ...


class Work(Pass[Any]):
    """Change the op, look at facts, and run a pipeline."""

    name = "work"
    how: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        op.value += 1
        ctx.analysis(Facts)
        if self.how == "fail":
            raise PassFailure
        if self.how == "dynamic":
            ctx.run_pipeline(OpPassManager("any").add(Work()))


class Watch(PassInstrumentation):
    """Counts what is open on each thread, and raises in its nth hook."""

    def __init__(self, at: int, error: type[BaseException]) -> None:
        self.left, self.error = at, error
        self.opened: defaultdict[int, list[str]] = defaultdict(list)
        self.unpaired: list[str] = []


def _hook(name: str) -> Callable[..., None]:
    def hook(self: Watch, *args: Any, **kwargs: Any) -> None:
        opened = self.opened[get_ident()]
        if name in PAIRS:
            opened.append(name)
        elif name.startswith("after_"):
            begun = opened.pop() if opened else ""
            if name not in PAIRS.get(begun, ()):
                self.unpaired.append(f"{begun or 'nothing'} ended by {name}")
        self.left -= 1
        if self.left == 0:
            raise self.error

    return hook


NAMES = [*PAIRS, *(each for ends in PAIRS.values() for each in ends)]
for _name in [*NAMES, "on_failure"]:
    setattr(Watch, _name, _hook(_name))


def manager(how: list[str]) -> PassManager:
    """Return a pipeline of passes on the module and on what is in it."""
    first, second, third = (Work(how=each) for each in how)
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(first)
    pm.nest("toy.func").add(second)
    pm.nest("toy.module").nest("toy.func").add(third)
    return pm


ways = st.lists(st.sampled_from(["", "", "fail", "dynamic"]), min_size=3, max_size=3)
watches = st.lists(
    st.tuples(
        st.sampled_from([*range(1, 12), *range(12, 90)]),
        st.sampled_from([KeyboardInterrupt, SystemExit, GeneratorExit, ValueError, PassFailure]),
    ),
    min_size=3,
    max_size=3,
)


@given(ways, watches, st.sampled_from([True, False, "always"]), st.booleans())
def test_hooks_of_all_instrumentations_pair(
    how: list[str], raising: list[tuple[int, type[BaseException]]], verify: Any, gated: bool
) -> None:
    """Three of them raise in any hook; what began ends once for each of them, inside out."""
    pm = manager(how)
    pm.enable_verifier(verify)
    if gated:
        pm.add_gate(lambda _, op: op.symbol != "b")
    watching = [Watch(at, error) for at, error in raising]
    for each in watching:
        pm.add_instrumentation(each)
    with suppress(PassFailedError, KeyboardInterrupt, SystemExit, GeneratorExit):
        pm.run(parse_toy(MODULE), on_diagnostic=lambda _: None)
    for each in watching:
        assert not each.unpaired
        broken = each.left <= 0 and issubclass(each.error, Exception)
        assert broken or not any(each.opened.values())


@pytest.mark.parametrize("hook", ["before_pass", "after_pass"])
def test_a_hook_may_fail_a_pass(hook: str) -> None:
    """By `PassFailure`: its pass fails, the rest on that op is skipped, siblings go on."""

    def refuse(self: EventRecorder, step: Any, op: ToyOp) -> None:
        getattr(EventRecorder, hook)(self, step, op)
        if op.symbol == "a":
            raise PassFailure("the budget is used up")

    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(Work(), Work())
    recorder = type("Refuse", (EventRecorder,), {hook: refuse})()
    pm.add_instrumentation(recorder)
    module = parse_toy(MODULE)
    with pytest.raises(PassFailedError, match="the budget is used up") as caught:
        pm.run(module, on_diagnostic=lambda _: None)
    assert [(each.kind, each.symbol) for each in caught.value.failures] == [("failed", "a")]
    assert [each.value for each in module.body[:2]] == [int(hook == "after_pass"), 2]
    assert sum(each.startswith("after-pass") for each in recorder.events) == 4  # each that began


# -- Signals ---------------------------------------------------------------------------------


class Waiting(Sequential):
    """Is interrupted while it waits for the second task."""

    def share(self, run: Run, siblings: Siblings, /) -> Iterable[Any]:
        """Do the first task."""
        yield siblings.run_task(siblings.tasks[0])
        raise KeyboardInterrupt


def test_work_that_was_done_before_an_interrupt_counts() -> None:
    """Failures of siblings are those of the run, and the note names no pass that did not run."""
    compiler = PipelineCompiler(ToyAdapter(), set[str]())
    this = Run(compiler, Instrumentor(), strategy=Waiting())
    manager = OpPassManager("toy.module").add_nested("toy.func", Work(how="fail"))
    with pytest.raises(KeyboardInterrupt) as raised:
        this.run(compiler.schedule(manager), module_of(3))
    assert [each.kind for each in this.outcome.failures] == ["failed", "interrupted"]
    (note,) = raised.value.__notes__
    assert "op was interrupted by KeyboardInterrupt while its nested pipelines ran" in note
