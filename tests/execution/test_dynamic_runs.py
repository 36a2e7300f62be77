"""How a pipeline that a pass runs takes part in the whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PipelineRun,
    Statistic,
)
from passel.testing import EventRecorder, ToyOp, parse_toy

if TYPE_CHECKING:
    from passel.schedule import Pipeline, Step

from toy_steps import (
    DEEP,
    FUNCS,
    failed_run,
    manager,
    nothing,
    pipeline,
    recorded,
    step,
)


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


class Counting(Pass):
    """Counts."""

    name = "count"
    seen = Statistic("Ops seen")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Count once."""
        ctx.count(self.seen)


def test_statistics_and_paths_continue_those_of_the_caller() -> None:
    """A pass is named by the way to it, and counts under that name in every run of it."""
    inner = pipeline(step(nothing, "other"), Counting())

    def outer(op: ToyOp, ctx: PassContext) -> None:
        for func in op.body:
            ctx.run_pipeline(inner, func)

    result = manager(step(nothing), step(outer)).run(parse_toy(FUNCS))
    assert result.statistics == {"toy.module/1:step/toy.func/1:count": {"seen": 2}}


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


def test_pipelines_may_run_pipelines() -> None:
    """A pass of a dynamic pipeline may run the next one, one level further inside."""
    paths: list[str] = []

    class Descend(Pass):
        name = "descend"

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            paths.append(ctx.path)
            for inner in op.body:
                assert ctx.run_pipeline(everywhere, inner)

    everywhere = OpPassManager("any").add(Descend())
    pm = manager(Descend())
    pm.run(parse_toy(DEEP))
    assert paths == [
        "toy.module/0:descend",
        "toy.module/0:descend/any/0:descend",
        "toy.module/0:descend/any/0:descend/any/0:descend",
    ]
