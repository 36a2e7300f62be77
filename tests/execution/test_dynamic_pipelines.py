"""Pipelines that passes run: where they may, how they fail, their dialects and analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder
from toy_steps import (
    DEEP,
    FUNCS,
    Total,
    fail,
    failed_run,
    manager,
    nothing,
    pipeline,
    recorded,
    step,
)

from passel import OpPassManager, Options, Pass, PassContext, PassFailure, PipelineRun, option
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
    assert [(bool(run), run.changed) for run in seen] == [(False, False)]
    name = "toy.func" if where == "detached" else "toy.module"
    message = (
        f"'{name}' op Trying to schedule a dynamic pipeline on an operation that isn't nested "
        "under the current operation the pass is processing"
    )
    assert [failure.diagnostic.message for failure in seen[0].failures] == [message]
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


def test_a_manager_is_left_as_it_is() -> None:
    """Adjacent pipelines are merged to be run, and printed as they were written."""
    inner = pipeline(pipeline(step(nothing)), pipeline(step(nothing)), anchor="toy.module")
    before = str(inner)
    manager(step(lambda _, ctx: ctx.run_pipeline(inner))).run(parse_toy(FUNCS))
    assert str(inner) == before


# -- Dialects --------------------------------------------------------------------------------


class Group(Options):
    """A struct that holds a pipeline."""

    pipeline: OpPassManager = option(default_factory=OpPassManager)


class Holder(Pass):
    """Holds pipelines in options of every shape, and runs none of them."""

    name = "holder"
    one: OpPassManager = option(default_factory=OpPassManager)
    some: tuple[OpPassManager, ...] = ()
    group: Group = option(default_factory=Group)
    groups: tuple[Group, ...] = ()

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Note what is loaded by now."""
        ctx.emit_remark(",".join(sorted(ctx.ir_context)))


needs_extra = pipeline(step(nothing, "needy", "extra"))


@pytest.mark.parametrize(
    "holder",
    [
        pytest.param(Holder(some=(pipeline(), needs_extra)), id="tuple"),
        pytest.param(Holder(groups=(Group(), Group(pipeline=needs_extra))), id="structs"),
        pytest.param(Holder(one=pipeline(Holder(one=needs_extra))), id="pipeline in a pipeline"),
        pytest.param(Holder(one=pipeline(needs_extra, anchor="any")), id="nested pipeline"),
    ],
)
def test_dialects_of_pipelines_in_options_are_loaded_before_the_run(holder: Holder) -> None:
    """What a pass holds to run later has its dialects from the beginning."""
    for pm in (manager(holder), manager(step(nothing), pipeline(holder))):
        result = pm.run(parse_toy("toy.module(toy.func)"))
        assert [diagnostic.message for diagnostic in result.diagnostics] == ["extra,toy"]


def test_dialects_of_a_dynamic_pipeline_are_loaded_when_it_is_run() -> None:
    """Those of pipelines that only a run makes come with their first run."""
    loaded: list[list[str]] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        loaded.append(sorted(ctx.ir_context))
        inner = step(lambda _, ctx: loaded.append(sorted(ctx.ir_context)))
        ctx.run_pipeline(pipeline(Holder(one=needs_extra), inner), op.body[0])

    manager(step(outer)).run(parse_toy(FUNCS))
    assert loaded == [["toy"], ["extra", "toy"]]


# -- Analyses -------------------------------------------------------------------------------------


def test_a_change_inside_invalidates_the_ops_between() -> None:
    """What is computed anew of an op between counts what passes deeper inside have added."""
    seen: list[int] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        middle = op.body[0]
        before = ctx.child_analysis(Total, middle).value
        grow = step(lambda op, _: op.add(ToyOp("toy.op", value=1)))
        ctx.run_pipeline(pipeline(grow), middle.body[0])
        seen.append(ctx.child_analysis(Total, middle).value - before)

    manager(step(outer)).run(parse_toy(DEEP))
    assert seen == [1]


def test_passes_inside_see_the_analyses_around() -> None:
    """On an op inside, the caller's analyses and those between are parents' analyses."""
    seen: list[bool] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        mine, middle = ctx.analysis(Total), ctx.child_analysis(Total, op.body[0])
        inner = step(
            lambda _, ctx: seen.extend(
                [ctx.parent_analysis(Total) is middle, ctx.parent_analysis(Total, op) is mine]
            )
        )
        ctx.run_pipeline(pipeline(inner), op.body[0].body[0])

    manager(step(outer)).run(parse_toy(DEEP))
    assert seen == [True, True]


# -- Passes that declare to preserve an analysis ---------------------------------------------


CARELESS, CAREFUL = step(nothing), step(nothing, preserves=(Total,))


@pytest.mark.parametrize(
    ("inner", "is_kept"),
    [
        (pipeline(CAREFUL), True),
        (pipeline(CAREFUL, CARELESS), False),
        (pipeline(pipeline(CAREFUL)), True),
    ],
)
@pytest.mark.parametrize("is_nested", [False, True])
def test_what_a_pass_declares_to_preserve_its_pipelines_have_to_preserve(
    inner: OpPassManager, is_kept: bool, is_nested: bool
) -> None:
    """However it runs them, and whether it runs on the op or on one nested in it."""
    seen: list[bool] = []

    def on_module(op: ToyOp, ctx: PassContext) -> None:
        ctx.run_pipeline(inner, op.body[0])

    def on_function(op: ToyOp, ctx: PassContext) -> None:
        ctx.run_pipeline(pipeline(step(on_module, preserves=(Total,)), anchor="any"))

    body = on_function if is_nested else on_module
    outer = step(body, preserves=(Total,))
    look = step(lambda _, ctx: seen.append(ctx.cached_analysis(Total) is not None))
    first = step(lambda _, ctx: (ctx.analysis(Total), ctx.preserve(Total)))
    between = pipeline(outer) if is_nested else outer
    ir = "toy.module(toy.func @f(toy.func @g))"
    manager(first, between, look).run(parse_toy(ir))
    assert seen == [is_kept]
