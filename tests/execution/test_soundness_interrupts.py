"""A hook may fail a pass, and an interrupt keeps what was done before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder
from sibling_passes import module_of

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
)
from passel.execution import Run
from passel.execution.strategies import Sequential
from passel.hooks import Instrumentor
from passel.schedule.compiler import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.execution.siblings import Siblings

MODULE = "toy.module(toy.func @a,toy.func @b,toy.module @n(toy.func @c))"


class Work(Pass[Any]):
    """Change the op, and perhaps fail."""

    name = "work"
    fails: bool = False

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        op.value += 1
        if self.fails:
            raise PassFailure


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
    manager = OpPassManager("toy.module").add_nested("toy.func", Work(fails=True))
    with pytest.raises(KeyboardInterrupt) as raised:
        this.run(compiler.schedule(manager), module_of(3))
    assert [each.kind for each in this.outcome.failures] == ["failed", "interrupted"]
    (note,) = raised.value.__notes__
    assert "op was interrupted by KeyboardInterrupt while its nested pipelines ran" in note
