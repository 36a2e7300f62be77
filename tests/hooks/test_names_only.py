"""Observers that look at names alone: their hooks are called here for what workers do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassFailure,
    PassInstrumentation,
    PassManager,
)
from passel.execution import Run
from passel.execution.strategies import Sequential
from passel.execution.strategies.forked import Forked
from passel.execution.strategies.threads import Threads
from passel.hooks import Instrumentor, OpIdentity
from passel.schedule import PassStep, PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from passel.execution.strategies import SiblingStrategy
    from passel.hooks import Around
    from passel.schedule import Pipeline, Step

WORKERS = [Forked(2, eager=True), Threads(2)]


class Size:
    """An analysis."""

    def __init__(self, op: ToyOp) -> None:
        self.size = len(op.body)


class Inner(Pass[ToyOp]):
    """Change an op."""

    name = "inner"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        op.value += 1


class Outer(Pass[ToyOp]):
    """Ask for an analysis, run a pipeline, name a part, and fail on one op."""

    name = "outer"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        ctx.analysis(Size)
        with ctx.scope("a part"):
            ctx.run_pipeline(OpPassManager("toy.func").add(Inner()))
        if op.symbol == "g":
            raise PassFailure("not this one")


class Notes(PassInstrumentation):
    """Notes all hooks, with whatever they tell of a step and an op."""

    names_only = True
    finds_changes = True

    def __init__(self) -> None:
        self.notes: list[tuple[Any, ...]] = []
        self.steps: dict[Step, int] = {}

    def around_pass(self, step: Step, op: OpIdentity) -> Around:
        """Note it, and count by the step itself."""
        self.notes.append(("pass", step.path, step.title, op))
        if "any" not in step.path and step.title != "inner":  # compiled for each op
            self.steps[step] = self.steps.get(step, 0) + 1
        ended = yield
        why = ended.failure and str(ended.failure)
        self.notes.append(("end", step.path, ended.failed, why, ended.changed))

    def before_pipeline(self, pipeline: Pipeline, op: OpIdentity, parent: Step) -> None:
        """Note it."""
        self.notes.append(("pipeline", str(pipeline), op.title, parent.title))

    def after_pipeline(
        self, pipeline: Pipeline, op: OpIdentity, parent: Step, *, failed: bool
    ) -> None:
        """Note it."""
        self.notes.append(("end", str(pipeline), failed))

    def before_analysis(self, name: str, kind: Any, op: OpIdentity) -> None:
        """Note it."""
        self.notes.append(("analysis", name, kind, op))

    def before_verification(self, step: Step, op: OpIdentity) -> None:
        """Note it."""
        self.notes.append(("verification", step.path, op.name))

    def before_scope(self, name: str) -> None:
        """Note it."""
        self.notes.append(("scope", name))


def observed(strategy: SiblingStrategy, observer: Any) -> str:
    """Run a pipeline with an observer and return what became of the ops."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Inner())
    pm.add_nested("toy.func", Inner(), Outer(), Inner())
    compiler = PipelineCompiler(ToyAdapter(), {"toy"})
    module = parse_toy("toy.module(toy.func @f,toy.func @g,toy.func @h,toy.func @i)")
    Run(compiler, Instrumentor([observer]), strategy=strategy).run(compiler.schedule(pm), module)
    return str(module)


@pytest.mark.parametrize("strategy", WORKERS, ids=["fork", "threads"])
def test_hooks_are_called_in_program_order(
    strategy: SiblingStrategy, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever does the work: with the same names and ends, and with the steps of the schedule."""
    alone, shared = Notes(), Notes()
    assert observed(Sequential(), alone) == observed(strategy, shared)
    assert shared.notes == alone.notes
    assert {note[0] for note in alone.notes} == {
        "pass",
        "end",
        "pipeline",
        "analysis",
        "verification",
        "scope",
    }
    assert ("pass", "toy.module/toy.func/0:inner", "inner", OpIdentity("toy.func", "g", 1)) in (
        shared.notes
    )
    assert sorted(shared.steps.values()) == sorted(alone.steps.values())
    assert not caplog.messages


class Touches(PassInstrumentation):
    """Looks at an op."""

    names_only = True

    def __init__(self) -> None:
        self.looked: list[Any] = []

    def before_pass(self, step: Step, op: Any) -> None:
        """Look into it."""
        self.looked.append(op.body if isinstance(step, PassStep) else None)


@pytest.mark.parametrize("strategy", [Sequential(), *WORKERS], ids=["one", "fork", "threads"])
def test_hooks_that_look_at_ops_are_found_out(
    strategy: SiblingStrategy, caplog: pytest.LogCaptureFixture
) -> None:
    """In one process as well: there never is an op, and the log says that once."""
    touches = Touches()
    observed(strategy, touches)
    assert touches.looked == []
    assert len([each for each in caplog.messages if "Touches raised" in each]) == 1
    assert "'OpIdentity' object has no attribute 'body'" in caplog.text


class Fails(PassInstrumentation):
    """Fails passes."""

    names_only = True

    def before_pass(self, step: Step, op: OpIdentity) -> None:
        """Fail them."""
        raise PassFailure("not now")


@pytest.mark.parametrize("strategy", [Sequential(), *WORKERS], ids=["one", "fork", "threads"])
def test_passes_do_not_fail_by_names(
    strategy: SiblingStrategy, caplog: pytest.LogCaptureFixture
) -> None:
    """It would be too late where others have run them, so that it is an error everywhere."""
    expected = observed(Sequential(), PassInstrumentation())
    assert observed(strategy, Fails()) == expected
    assert len([each for each in caplog.messages if "Fails raised" in each]) == 1


class Stays(Notes):
    """The same, for this process."""

    stays_here = True


def test_names_can_be_kept_here(caplog: pytest.LogCaptureFixture) -> None:
    """`stays_here` keeps the work in this process, which the log says."""
    stays = Stays()
    observed(Forked(2, eager=True), stays)
    assert "no worker processes: Stays can observe passes in one process only" in caplog.messages
