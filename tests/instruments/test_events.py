"""An execution of a pass is identified by its path and its op, whatever else runs."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from passel import Pass, PassContext, PassFailedError, PassFailure, PassInstrumentation, PassManager
from passel.instruments.events import PassExecution, execution_of
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from passel.schedule import Step

SOURCE = "toy.module(toy.func @a,toy.op,toy.module(toy.func @b,toy.func),toy.func,toy.module(toy.func @b))"


class Visit(Pass[ToyOp]):
    """Look at an op, or fail on it."""

    name = "visit"
    bad: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Fail on one of the ops."""
        if op.symbol == self.bad:
            raise PassFailure("no")


class Executions(PassInstrumentation):
    """Remembers what ran."""

    def __init__(self) -> None:
        self.seen: list[PassExecution] = []

    def before_pass(self, step: Step, op: Any) -> None:
        """Remember the execution."""
        self.seen.append(execution_of(self.run, step, op))


def manager(bad: str = "") -> PassManager:
    """Return a manager with passes on functions at two depths."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(Visit(bad=bad), Visit())
    pm.nest("toy.module").add_nested("toy.func", Visit())
    pm.add(Visit())
    return pm


def executions(pm: PassManager) -> list[PassExecution]:
    """Return what ran, whether or not it failed."""
    watch = Executions()
    with pm.instrument(watch), suppress(PassFailedError):
        pm.run(parse_toy(SOURCE))
    return watch.seen


def test_each_execution_has_an_identity_of_its_own() -> None:
    """Ops without symbols, and ops of one symbol, are told from each other."""
    seen = [each for each in executions(manager()) if each.name]
    assert len({each.identity for each in seen}) == len(seen) == 8
    assert ("toy.module/toy.module/toy.func/0:visit", (0, 2, 1)) in {e.identity for e in seen}


def admits(step: Step, op: ToyOp) -> bool:
    """Let a pass run anywhere but on one op."""
    return op.symbol != "a"


def test_an_identity_does_not_depend_on_what_else_ran() -> None:
    """Failures and gates elsewhere, and earlier, change no identity."""
    everything = {each.identity: each for each in executions(manager())}
    failing = executions(manager(bad="a"))
    gated = manager()
    gated.add_gate(admits)
    for seen in (failing, executions(gated)):
        assert len({each.identity for each in seen}) == len(seen)
        assert all(everything[each.identity] == each for each in seen)
    assert len(failing) < len(everything)


class Anchors(PassInstrumentation):
    """Notes the anchor of its run when passes begin and end."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.seen: list[tuple[str, str]] = []

    def before_pass(self, step: Step, op: Any) -> None:
        """Note it."""
        self.begun.append(self.run.pipeline.anchor)

    def after_pass(self, step: Step, op: Any) -> None:
        """Note it."""
        self.seen.append((self.begun.pop(), self.run.pipeline.anchor))


def test_a_hook_finds_its_run() -> None:
    """It is the innermost one, also when a pass lets the same object observe another."""
    anchors = Anchors()

    def run_another(op: Any, pass_: Any) -> None:
        pm = PassManager("toy.func", adapter=ToyAdapter()).add(Visit())
        with pm.instrument(anchors):
            pm.run(op.body[0])

    pm = PassManager("toy.module", adapter=ToyAdapter()).add(run_another)
    with pm.instrument(anchors):
        pm.run(parse_toy("toy.module(toy.func)"))
    assert anchors.seen == [("toy.func", "toy.func"), ("toy.module", "toy.module")]
    assert not hasattr(pickle.loads(pickle.dumps(anchors)), "run")
