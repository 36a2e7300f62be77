"""Pipelines that passes run: where they may, how they fail, and what a run sees of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder
from toy_steps import FUNCS, fail, failed_run, manager, nothing, pipeline, recorded, step

from passel import PassContext, PassFailure, PipelineRun
from passel.testing import ToyOp, parse_toy

if TYPE_CHECKING:
    from passel.schedule import Pipeline, Step

# -- Where -----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["parent", "sibling", "detached"])
def test_an_op_that_is_not_inside_is_refused(where: str) -> None:
    """The error is about that op, the run of the pipeline failed, and nothing was executed."""
    seen: list[PipelineRun] = []
    ran: list[str] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        assert op.parent is not None
        other = {"parent": op.parent, "sibling": op.parent.body[1], "detached": ToyOp("toy.func")}
        inner = pipeline(step(lambda op, _: ran.append(op.name)), anchor="any")
        seen.append(ctx.run_pipeline(inner, other[where]))

    pm = manager(pipeline(step(outer)))
    events = recorded(pm)
    result = pm.run(parse_toy("toy.module(toy.func @f,toy.module)"))
    (run,) = seen
    assert not run
    assert run.changed is False
    name = "toy.func" if where == "detached" else "toy.module"
    message = (
        f"'{name}' op Trying to schedule a dynamic pipeline on an operation that isn't nested "
        "under the current operation the pass is processing"
    )
    assert [failure.diagnostic.message for failure in run.failures] == [message]
    assert [diagnostic.message for diagnostic in result.diagnostics] == [message]
    assert ran == []
    assert len([event for event in events if "pipeline" in event]) == 2


def test_an_op_that_may_not_run_passes_is_a_failure() -> None:
    """An op that is not isolated is refused as one that a nested pipeline finds."""
    runs: list[PipelineRun] = []
    outer = step(lambda op, ctx: runs.append(ctx.run_pipeline(inner, op.body[0])))
    inner = pipeline(step(nothing), anchor="any")
    result = manager(outer).run(parse_toy("toy.module(toy.region)"))
    assert [failure.kind for failure in runs[0].failures] == ["unschedulable"]
    assert len(result.diagnostics) == 1


def test_bindings_may_have_several_objects_for_one_op() -> None:
    """An equal object for the current op is the current op."""

    class Handle(ToyOp):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, ToyOp) and self.symbol == other.symbol

        def __hash__(self) -> int:
            return hash(self.symbol)

    inner = pipeline(step(nothing), anchor="any")
    runs: list[PipelineRun] = []
    outer = step(lambda _, ctx: runs.append(ctx.run_pipeline(inner, Handle("toy.module", "m"))))
    manager(outer).run(Handle("toy.module", "m"))
    assert [(run.failures, run.changed) for run in runs] == [((), False)]


# -- Failure ---------------------------------------------------------------------------------


def test_failure_is_returned_and_reported_but_not_propagated() -> None:
    """A pass that ignores it succeeds, and so does the run; the diagnostic stands."""
    runs: list[PipelineRun] = []
    ran: list[str | None] = []
    inner = pipeline(step(fail, "inner"), step(lambda op, _: ran.append(op.symbol)))
    outer = step(lambda op, ctx: runs.extend(ctx.run_pipeline(inner, func) for func in op.body))
    behind = step(lambda op, _: ran.append(op.name))
    result = manager(outer, behind).run(parse_toy(FUNCS))
    assert [bool(run) for run in runs] == [False, False]
    assert [failure.symbol for run in runs for failure in run.failures] == ["f", "g"]
    assert runs[0].failures[0].path == "toy.module/0:step/toy.func/0:inner"
    assert runs[0].changed is None
    message = "'toy.func' op pass 'inner' failed: gave up"
    assert [diagnostic.message for diagnostic in result.diagnostics] == [message] * 2
    assert ran == ["toy.module"]


def test_a_pass_may_fail_for_it() -> None:
    """Raising fails the pass: its own failure is the run's, both are reported in order."""

    def outer(op: ToyOp, ctx: PassContext) -> None:
        if not ctx.run_pipeline(inner, op.body[0]):
            raise PassFailure("it did not work")

    inner = pipeline(step(fail, "inner"))
    ran: list[str] = []
    error = failed_run(manager(step(outer), step(lambda op, _: ran.append(op.name))))
    assert [failure.path for failure in error.failures] == ["toy.module/0:step"]
    assert [d.message.partition("pass ")[2] for d in error.diagnostics] == [
        "'inner' failed: gave up",
        "'step' failed: it did not work",
    ]
    assert ran == []


# -- In a run -----------------------------------------------------------------------------------


def test_hooks_see_the_calling_pass_as_the_parent() -> None:
    """It is watched like a nested pipeline, between the hooks of the pass that runs it."""
    parents: list[str] = []

    class Parents(EventRecorder):
        def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
            parents.append(parent.path)

    inner = pipeline(step(nothing, "inner"))
    pm = manager(step(lambda op, ctx: ctx.run_pipeline(inner, op.body[1])))
    pm.add_instrumentation(Parents())
    events = recorded(pm)
    pm.run(parse_toy(FUNCS))
    assert parents == ["toy.module/0:step"]
    assert events == [
        "before-pass step toy.module",
        "before-pipeline toy.func @g",
        "before-pass inner @g",
        "after-pass inner @g",
        "after-pipeline toy.func @g",
        "after-pass step toy.module",
    ]


def test_ir_is_verified_inside() -> None:
    """A pass that breaks IR is named, before its caller goes on."""

    def break_ir(op: ToyOp, ctx: PassContext) -> None:
        op.value = -1

    runs: list[PipelineRun] = []
    pm = manager(
        step(
            lambda op, ctx: runs.append(
                ctx.run_pipeline(pipeline(step(break_ir, "inner")), op.body[0])
            )
        )
    )
    error = failed_run(pm)
    assert [failure.path for failure in runs[0].failures] == ["toy.module/0:step/toy.func/0:inner"]
    # The caller left it so, which is found as well.
    assert [failure.path for failure in error.failures] == ["toy.module/0:step"]
    pm.enable_verifier(False)
    pm.run(parse_toy(FUNCS))
    assert runs[1]


def test_it_tells_whether_it_changed_something() -> None:
    """`changed` is known as it is for a run, and the caller's run knows as well."""
    runs: list[PipelineRun] = []

    def change(op: ToyOp, ctx: PassContext) -> None:
        op.value = 4

    inner = pipeline(step(change))
    pm = manager(step(lambda op, ctx: runs.append(ctx.run_pipeline(inner, op.body[0]))))
    module = parse_toy(FUNCS)
    assert pm.run(module).changed is True
    assert pm.run(module).changed is False
    assert [run.changed for run in runs] == [True, False]
