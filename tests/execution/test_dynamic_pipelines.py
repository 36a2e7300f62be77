"""Pipelines that a pass runs on its op or on ops inside, as `mlir::Pass::runPipeline`."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    AnalysisManager,
    AnchorError,
    OpPassManager,
    Options,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    PipelineRun,
    Statistic,
    option,
)
from passel.testing import EventRecorder, ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.schedule import Pipeline, Step

FUNCS = "toy.module(toy.func @f,toy.func @g)"
DEEP = "toy.module(toy.module @m(toy.func @f))"


class Total:
    """The sum of all values in an op."""

    def __init__(self, op: ToyOp) -> None:
        self.value = sum(inner.value for inner in op.walk())


def step(
    body: Callable[[ToyOp, PassContext], object], name: str = "outer", *dialects: str
) -> Pass[Any]:
    """Return a pass that does this."""

    class Step(Pass):
        def run(self, op: ToyOp, ctx: PassContext) -> None:
            body(op, ctx)

    Step.name, Step.dependent_dialects = name, dialects
    return Step()


def nothing(op: ToyOp, ctx: PassContext) -> None:
    """Do nothing."""


def ask(op: ToyOp, ctx: PassContext) -> None:
    """Compute an analysis and preserve it."""
    ctx.analysis(Total)
    ctx.preserve(Total)


def fail(op: ToyOp, ctx: PassContext) -> None:
    """Give up."""
    raise PassFailure("gave up")


def pipeline(*passes: Pass[Any, Any] | OpPassManager, anchor: str = "toy.func") -> OpPassManager:
    """Return a pipeline for passes to run."""
    return OpPassManager(anchor).add(*passes)


def manager(
    *passes: Pass[Any, Any] | OpPassManager, adapter: ToyAdapter | None = None
) -> PassManager:
    """Return a pipeline for modules."""
    return PassManager("toy.module", adapter=adapter or ToyAdapter()).add(*passes)


def recorded(pm: PassManager) -> list[str]:
    """Return the list that will hold every hook that is called."""
    recorder = EventRecorder(ToyAdapter())
    pm.add_instrumentation(recorder)
    return recorder.events


def failed_run(pm: PassManager, ir: str = FUNCS) -> PassFailedError:
    """Run a pipeline that fails, and return how."""
    with pytest.raises(PassFailedError) as info:
        pm.run(parse_toy(ir))
    return info.value


# -- Where -----------------------------------------------------------------------------------


def test_a_pipeline_runs_on_the_current_op_unless_told_otherwise() -> None:
    """The op may be left out, or be given."""
    ran: list[str] = []
    inner = pipeline(step(lambda op, _: ran.append(op.name)), anchor="toy.module")
    outer = step(lambda op, ctx: (ctx.run_pipeline(inner), ctx.run_pipeline(inner, op)))
    manager(outer).run(parse_toy(FUNCS))
    assert ran == ["toy.module"] * 2


def test_a_pipeline_runs_on_ops_inside_at_any_depth() -> None:
    """A descendant need not be a child; the pipeline runs on it alone."""
    ran: list[str | None] = []
    inner = pipeline(step(lambda op, _: ran.append(op.symbol)))
    outer = step(lambda op, ctx: ctx.run_pipeline(inner, op.body[0].body[0]))
    manager(outer).run(parse_toy("toy.module(toy.region(toy.func @f,toy.func @g))"))
    assert ran == ["f"]


def test_an_any_pipeline_runs_on_every_op_that_may_run_passes() -> None:
    """`any` takes the op as it is."""
    ran: list[str | None] = []
    inner = pipeline(step(lambda op, _: ran.append(op.symbol)), anchor="any")
    outer = step(lambda op, ctx: [ctx.run_pipeline(inner, func) for func in op.body])
    manager(outer).run(parse_toy(FUNCS))
    assert ran == ["f", "g"]


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


def test_a_pipeline_for_another_op_is_an_error() -> None:
    """The anchor is checked, though MLIR only asserts it, and the pass may not ignore it."""

    def outer(op: ToyOp, ctx: PassContext) -> None:
        with pytest.raises(AnchorError, match=r"can't run 'toy.func' pass manager on 'toy.module'"):
            ctx.run_pipeline(pipeline(), op)
        ctx.run_pipeline(pipeline(), op)

    (failure,) = failed_run(manager(step(outer))).failures
    assert failure.kind == "crashed"


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
    assert runs == [PipelineRun((), changed=False)]


# -- Analyses --------------------------------------------------------------------------------


def test_on_the_current_op_it_sees_the_analyses_of_its_caller() -> None:
    """The same analyses are used, so that nothing is computed twice."""
    same: list[bool] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        total = ctx.analysis(Total)
        inner = step(lambda _, ctx: same.append(ctx.cached_analysis(Total) is total))
        ctx.run_pipeline(pipeline(inner, anchor="toy.module"))

    manager(step(outer)).run(parse_toy(FUNCS))
    assert same == [True]


def test_on_the_current_op_it_invalidates_the_analyses_of_its_caller() -> None:
    """What a pass inside does not preserve is gone for the next one."""
    seen: list[bool] = []
    look = step(lambda _, ctx: seen.append(ctx.cached_analysis(Total) is not None))
    inner = pipeline(step(lambda _, ctx: ctx.preserve(Total)), look, look, anchor="toy.module")
    outer = step(lambda _, ctx: (ctx.analysis(Total), ctx.run_pipeline(inner)))
    manager(outer).run(parse_toy(FUNCS))
    assert seen == [True, False]


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param((), id="empty"),
        pytest.param((step(lambda _, ctx: ctx.preserve_all()),), id="preserves all"),
        pytest.param((step(lambda op, ctx: (ctx.preserve_all(), fail(op, ctx))),), id="fails"),
    ],
)
def test_at_its_end_the_analyses_of_the_current_op_are_dropped(
    inner: tuple[Pass[Any], ...],
) -> None:
    """Whatever was run on the current op, the caller has to compute anew."""
    seen: list[bool] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Total)
        ctx.child_analysis(Total, op.body[0])
        ctx.run_pipeline(pipeline(*inner, anchor="toy.module"))
        seen.append(ctx.cached_analysis(Total) is not None)
        seen.append(ctx.cached_child_analysis(Total, op.body[0]) is not None)
        assert ctx.analysis(Total) is ctx.analysis(Total)

    manager(step(outer)).run(parse_toy(FUNCS))
    assert seen == [False, False]


@pytest.mark.parametrize("passes", [(), (step(ask),), (step(nothing),)])
def test_on_an_op_inside_the_analyses_of_the_caller_stay(passes: tuple[Pass[Any], ...]) -> None:
    """Only what is cached for that op is dropped; it was there while the pipeline ran."""
    seen: list[bool] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        f, g = op.body[0].body
        total = ctx.analysis(Total)
        around = ctx.child_analysis(Total, op.body[0])
        at_f, at_g = ctx.child_analysis(Total, f), ctx.child_analysis(Total, g)
        look = step(lambda _, ctx: (seen.append(ctx.analysis(Total) is at_f), ctx.preserve_all()))
        ctx.run_pipeline(pipeline(look, *passes), f)
        seen.append(ctx.analysis(Total) is total)
        seen.append(ctx.cached_child_analysis(Total, op.body[0]) is around)
        seen.append(ctx.child_analysis(Total, g) is at_g)
        seen.append(ctx.child_analysis(Total, f) is not at_f)

    manager(step(outer)).run(parse_toy("toy.module(toy.module @m(toy.func @f,toy.func @g))"))
    assert seen == [True] * 5


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


def test_nested_pipelines_inside_find_and_wipe_the_same_analyses() -> None:
    """In a pipeline on the current op, nested passes see its analyses, then drop them."""
    seen: list[bool] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        mine, of_f = ctx.analysis(Total), ctx.child_analysis(Total, op.body[0])
        nested = step(
            lambda _, ctx: seen.extend(
                [ctx.parent_analysis(Total) is mine, ctx.cached_analysis(Total) is of_f]
            )
        )
        behind = step(lambda _, ctx: seen.append(ctx.cached_analysis(Total) is not None))
        ctx.run_pipeline(pipeline(pipeline(nested), behind, anchor="toy.module"))

    manager(step(outer)).run(parse_toy("toy.module(toy.func @f)"))
    assert seen == [True, True, False]


def test_what_the_caller_preserves_is_its_own_affair() -> None:
    """Passes inside neither preserve for their caller nor are preserved for by it."""
    seen: list[bool] = []
    inner = pipeline(step(nothing), step(lambda _, ctx: ctx.preserve_all()), anchor="toy.module")

    def outer(op: ToyOp, ctx: PassContext) -> None:
        ctx.run_pipeline(inner)
        ctx.analysis(Total)

    look = step(lambda _, ctx: seen.append(ctx.cached_analysis(Total) is not None))
    manager(step(outer), look).run(parse_toy(FUNCS))
    assert seen == [False]


def test_handles_that_a_caller_holds_are_cut_off() -> None:
    """Analyses of ops inside that the caller held from before are not those in the cache."""
    seen: list[bool] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        held: AnalysisManager = ctx.analyses.nest(op.body[0])
        ctx.run_pipeline(pipeline(anchor="toy.module"))
        seen.append(held.analysis(Total) is ctx.child_analysis(Total, op.body[0]))

    manager(step(outer)).run(parse_toy(FUNCS))
    assert seen == [False]


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
    assert runs[0].failures[0].path == "toy.module/0:outer/toy.func/0:inner"
    assert runs[0].changed is None
    message = "'toy.func' op pass 'inner' failed: gave up"
    assert [diagnostic.message for diagnostic in result.diagnostics] == [message] * 2
    assert ran == ["toy.module"]


def test_every_failure_of_nested_passes_inside_is_returned() -> None:
    """Siblings are processed in dynamic pipelines as well, and all their failures listed."""
    runs: list[PipelineRun] = []
    inner = pipeline(pipeline(step(fail)), anchor="toy.module")
    manager(step(lambda _, ctx: runs.append(ctx.run_pipeline(inner)))).run(parse_toy(FUNCS))
    assert [failure.symbol for failure in runs[0].failures] == ["f", "g"]


def test_a_pass_may_fail_for_it() -> None:
    """Raising fails the pass: its own failure is the run's, both are reported in order."""

    def outer(op: ToyOp, ctx: PassContext) -> None:
        if not ctx.run_pipeline(inner, op.body[0]):
            raise PassFailure("it did not work")

    inner = pipeline(step(fail, "inner"))
    ran: list[str] = []
    error = failed_run(manager(step(outer), step(lambda op, _: ran.append(op.name))))
    assert [failure.path for failure in error.failures] == ["toy.module/0:outer"]
    assert [d.message.partition("pass ")[2] for d in error.diagnostics] == [
        "'inner' failed: gave up",
        "'outer' failed: it did not work",
    ]
    assert ran == []


def test_crashes_and_invalid_ir_inside_are_failures_too() -> None:
    """They are returned as those of `PassFailure` are."""
    kinds: list[str] = []

    def crash(op: ToyOp, ctx: PassContext) -> None:
        raise ZeroDivisionError

    def break_ir(op: ToyOp, ctx: PassContext) -> None:
        op.value = -1

    def outer(op: ToyOp, ctx: PassContext) -> None:
        for body in (crash, break_ir):
            run = ctx.run_pipeline(pipeline(step(body)), op.body[0])
            kinds.extend(failure.kind for failure in run.failures)
        op.body[0].value = 0

    manager(step(outer)).run(parse_toy(FUNCS))
    assert kinds == ["crashed", "invalid"]


def test_failures_before_stay_apart_from_failures_inside() -> None:
    """A failed sibling is neither forgotten nor counted by a dynamic pipeline on another op."""
    runs: list[PipelineRun] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        if op.symbol == "f":
            raise PassFailure
        runs.append(ctx.run_pipeline(pipeline(step(nothing)), op))
        runs.append(ctx.run_pipeline(pipeline(step(fail)), op))

    error = failed_run(manager(pipeline(step(outer))))
    assert [failure.symbol for failure in error.failures] == ["f"]
    assert [bool(run) for run in runs] == [True, False]


# -- Taking part in the run ------------------------------------------------------------------


def test_hooks_see_the_calling_pass_as_the_parent() -> None:
    """It is watched like a nested pipeline, between the hooks of the pass that runs it."""
    parents: list[str] = []

    class Parents(EventRecorder):
        def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
            parents.append(parent.path)

    inner = pipeline(step(nothing, "inner"))
    pm = manager(step(lambda op, ctx: ctx.run_pipeline(inner, op.body[1])))
    pm.add_instrumentation(Parents(ToyAdapter()))
    events = recorded(pm)
    pm.run(parse_toy(FUNCS))
    assert parents == ["toy.module/0:outer"]
    assert events == [
        "before-pass outer toy.module",
        "before-pipeline toy.func @g",
        "before-pass inner @g",
        "after-pass inner @g",
        "after-pipeline toy.func @g",
        "after-pass outer toy.module",
    ]


def test_hooks_of_a_failed_pipeline_pair() -> None:
    """Its end is told as a failure, and that of the pass that ignores it is not."""
    inner = pipeline(step(fail, "inner"))
    pm = manager(step(lambda op, ctx: ctx.run_pipeline(inner, op.body[0])))
    events = recorded(pm)
    pm.run(parse_toy(FUNCS))
    assert events[2:] == [
        "before-pass inner @f",
        "after-pass-failed inner @f",
        "after-pipeline-failed toy.func @f",
        "after-pass outer toy.module",
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
    assert result.statistics == {"toy.module/1:outer/toy.func/1:count": {"seen": 2}}


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
    assert [failure.path for failure in runs[0].failures] == ["toy.module/0:outer/toy.func/0:inner"]
    # The caller left it so, which is found as well.
    assert [failure.path for failure in error.failures] == ["toy.module/0:outer"]
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


def test_a_pass_in_a_nested_pipeline_may_run_pipelines() -> None:
    """Paths, analyses and failures are those of the nested pass."""
    seen: list[tuple[str, bool]] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        total = ctx.analysis(Total)
        inner = step(
            lambda _, ctx: seen.append((ctx.path, ctx.cached_analysis(Total) is total)), "inner"
        )
        ctx.run_pipeline(pipeline(inner))

    manager(pipeline(step(outer))).run(parse_toy(FUNCS))
    assert seen == [("toy.module/toy.func/0:outer/toy.func/0:inner", True)] * 2


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


# -- Compiling -------------------------------------------------------------------------------


class Initialized(Pass[ToyOp, int]):
    """Counts how often it is initialized, in the context."""

    name = "initialized"

    def initialize(self, ir_context: list[str]) -> int:
        """Count in the list of all initializations."""
        ir_context.append("initialize")
        return len(ir_context)

    def run(self, op: ToyOp, ctx: PassContext[int]) -> None:
        """Do nothing."""


def counted(*passes: Pass[Any, Any]) -> tuple[PassManager, list[str]]:
    """Return a pipeline for modules and the list of initializations in its runs."""
    context: list[str] = []
    pm = PassManager("toy.module", context, adapter=_NoDialects()).add(*passes)
    return pm, context


class _NoDialects(ToyAdapter):
    def load_dialects(self, context: object, names: object) -> None:
        """Load nothing."""


def test_a_manager_is_compiled_once_while_it_is_unchanged() -> None:
    """The same manager is not compiled and initialized per op, nor per run."""
    inner = pipeline(Initialized())
    pm, context = counted(step(lambda op, ctx: [ctx.run_pipeline(inner, f) for f in op.body]))
    pm.run(parse_toy(FUNCS))
    pm.run(parse_toy(FUNCS))
    assert len(context) == 1


def test_a_manager_that_was_changed_is_compiled_again() -> None:
    """A pass may go on building between two runs; what it added is run and initialized."""
    ran: list[str | None] = []
    inner = pipeline(Initialized())

    def outer(op: ToyOp, ctx: PassContext) -> None:
        ctx.run_pipeline(inner, op.body[0])
        inner.add(step(lambda op, _: ran.append(op.symbol)))
        ctx.run_pipeline(inner, op.body[1])

    pm, context = counted(step(outer))
    pm.run(parse_toy(FUNCS))
    assert ran == ["g"]
    assert len(context) == 2


def test_a_new_manager_is_compiled_each_time() -> None:
    """An equal manager is another one, as in MLIR."""
    pm, context = counted(
        step(lambda op, ctx: [ctx.run_pipeline(pipeline(Initialized()), f) for f in op.body])
    )
    pm.run(parse_toy(FUNCS))
    assert len(context) == 2


def test_many_managers_do_not_crowd_out_others() -> None:
    """However many pipelines passes make, those that live on stay compiled, others go."""
    kept = pipeline(Initialized())
    made: list[weakref.ref[OpPassManager]] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        ctx.run_pipeline(kept, op.body[0])
        for _ in range(300):
            new = pipeline(step(nothing))
            made.append(weakref.ref(new))
            ctx.run_pipeline(new, op.body[0])

    pm, context = counted(Initialized(), step(outer))
    pm.run(parse_toy(FUNCS))
    pm.run(parse_toy(FUNCS))
    assert len(context) == 2
    gc.collect()
    assert not [reference for reference in made if reference() is not None]


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
        pytest.param(Holder(one=needs_extra), id="option"),
        pytest.param(Holder(some=(pipeline(), needs_extra)), id="tuple"),
        pytest.param(Holder(group=Group(pipeline=needs_extra)), id="struct"),
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


def test_a_dialect_that_does_not_exist_is_found_before_the_run() -> None:
    """It is an error of the pipeline, wherever the pass that needs it is held."""
    ran: list[str] = []
    holder = Holder(one=pipeline(step(nothing, "needy", "absent")))
    with pytest.raises(AnchorError, match="pass 'needy' depends on dialect 'absent'"):
        manager(step(lambda op, _: ran.append(op.name)), holder).run(parse_toy(FUNCS))
    assert ran == []
