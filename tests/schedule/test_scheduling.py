"""Which pass runs on which op, as `mlir::OpPassManager::canScheduleOn` decides."""

from __future__ import annotations

from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    ANY,
    AnchorError,
    Nesting,
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassManager,
)
from passel.passes import default_registry
from passel.schedule import PipelineCompiler
from passel.testing import ToyAdapter, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel import OpKind


def test_nested_pipelines_look_one_level_deep(trace: Callable[[str, str], list[str]]) -> None:
    """A nested pipeline runs on the ops immediately inside, not on those further down."""
    ir = "toy.module(toy.func @f,toy.module @m(toy.func @g))"
    assert trace("toy.module(toy.func(a))", ir) == ["a @f"]
    assert trace("toy.module(toy.module(toy.func(a)))", ir) == ["a @g"]


def test_ops_that_no_pipeline_takes_are_skipped(trace: Callable[[str, str], list[str]]) -> None:
    """An op without a pipeline for its name is silently passed over."""
    assert trace("toy.module(toy.func(a))", "toy.module(toy.module @m)") == []


def test_a_named_anchor_takes_its_ops_by_name_alone(
    trace: Callable[[str, str], list[str]],
) -> None:
    """An op-specific pass in an `any` manager is legal and filters by its op."""
    ir = "toy.module(toy.module @m,toy.func @f)"
    assert trace("toy.module(any(on-func))", ir) == ["on-func @f"]


def test_one_picky_pass_filters_a_whole_any_manager(
    trace: Callable[[str, str], list[str]],
) -> None:
    """`any` runs none of its passes on an op that one of them refuses."""
    ir = "toy.module(toy.module @m,toy.func @f)"
    assert trace("toy.module(any(a,on-callable))", ir) == ["a @f", "on-callable @f"]
    assert trace("toy.module(any(a,picky))", ir) == ["a @m", "picky @m"]


def test_a_nested_pipeline_never_restricts_any(trace: Callable[[str, str], list[str]]) -> None:
    """`any` takes ops whatever the pipelines nested in it are for."""
    ir = "toy.module(toy.module @m(toy.func @g),toy.func @f)"
    assert trace("toy.module(any(a,toy.func(b)))", ir) == ["a @m", "b @g", "a @f"]


@pytest.mark.parametrize(
    ("ir", "message"),
    [
        (
            "other.op",
            "'other.op' op trying to schedule a pass on an unregistered operation",
        ),
        (
            "toy.region",
            (
                "'toy.region' op trying to schedule a pass on an operation not marked as "
                "'IsolatedFromAbove'"
            ),
        ),
        (
            "toy.module",
            "'toy.module' op trying to schedule pass 'on-func' on an unsupported operation",
        ),
    ],
)
def test_nothing_filters_at_the_top(
    parse: Callable[[str], PassManager], ir: str, message: str
) -> None:
    """An op that cannot run a top-level `any` manager is an error on that op."""
    with pytest.raises(PassFailedError) as info:
        parse("any(on-func)").run(parse_toy(ir))
    (failure,) = info.value.failures
    assert failure.kind == "unschedulable"
    assert failure.diagnostic.message == message
    assert failure.path == "any/0:on-func"


def test_passes_before_the_unschedulable_one_have_run(
    trace: Callable[[str, str], list[str]],
) -> None:
    """Schedulability is checked pass by pass, so the passes before it run."""
    assert trace("any(a,on-func,b)", "toy.module @m") == ["a @m", "unschedulable @m"]


def test_an_unschedulable_pass_calls_no_hook(
    parse: Callable[[str], PassManager], adapter: ToyAdapter
) -> None:
    """The execution-time checks come before the hooks of the pass."""
    from passel.testing import EventRecorder

    pm, recorder = parse("any(on-func)"), EventRecorder()
    pm.add_instrumentation(recorder)
    with pytest.raises(PassFailedError):
        pm.run(parse_toy("toy.module"))
    assert recorder.events == []


@pytest.mark.parametrize("ir", ["toy.region", "other.op"])
def test_an_empty_manager_runs_on_whatever_op(parse: Callable[[str], PassManager], ir: str) -> None:
    """The execution-time checks belong to passes, so without passes nothing is checked."""
    assert parse("any()").run(parse_toy(ir)).changed is False


def test_an_empty_nested_manager_may_have_a_non_isolated_anchor(
    trace: Callable[[str, str], list[str]],
) -> None:
    """A nested pipeline without passes is harmless on ops that are not isolated."""
    assert trace("toy.module(toy.region(),a)", "toy.module @m(toy.region)") == ["a @m"]


INSIDE = "write {}(any({})) to run it on the ops inside that it accepts"


@pytest.mark.parametrize(
    ("text", "where", "way_out"),
    [
        ("toy.module(a,on-callable)", "on ops that implement Callable_", INSIDE),
        ("toy.func(a,picky)", "on ops that its can_schedule_on accepts", INSIDE),
        (
            "toy.func(toy.module(a,on-callable))",
            "on ops that implement Callable_",
            "put it into the enclosing pipeline, on 'toy.func'",
        ),
    ],
)
def test_a_pass_that_refuses_its_anchor_is_found_before_the_run(
    parse: Callable[[str], PassManager], text: str, where: str, way_out: str
) -> None:
    """A pass that is not schedulable on its manager's registered op fails the whole run."""
    *_, anchor, passes = text.split("(")
    named = passes.rstrip(")").removeprefix("a,")
    pm = parse(text)
    op = parse_toy(pm.anchor)
    with pytest.raises(AnchorError) as info:
        pm.run(op)
    (problem,) = info.value.problems
    assert problem.message == (
        f"unable to schedule pass '{named}' on a PassManager intended to run on '{anchor}'! "
        f"It runs {where}; {way_out.format(anchor, named)}"
    )
    assert problem.span is not None
    assert problem.span.text == named


def test_every_unschedulable_pass_of_a_manager_is_reported(
    parse: Callable[[str], PassManager],
) -> None:
    """One error lists all passes that the manager's op cannot run."""
    with pytest.raises(AnchorError) as info:
        parse("toy.module(on-callable,a,on-callable2)").check()
    assert [p.span.text for p in info.value.problems if p.span] == ["on-callable", "on-callable2"]


def test_the_innermost_unschedulable_pass_is_reported(
    parse: Callable[[str], PassManager],
) -> None:
    """Nested managers are checked before the passes of the one around them."""
    with pytest.raises(AnchorError, match=r"pass 'picky' .* on 'toy.func'") as info:
        parse("toy.module(on-callable,toy.func(picky))").check()
    assert len(info.value.problems) == 1


def test_an_unregistered_top_level_anchor_is_left_to_the_run(
    parse: Callable[[str], PassManager],
) -> None:
    """What is schedulable on an op that is not registered is not known before the run."""
    pm = parse("other.op(on-callable)")
    pm.check()
    with pytest.raises(PassFailedError, match="unregistered operation"):
        pm.run(parse_toy("other.op"))


def test_any_managers_are_not_checked_before_the_run(parse: Callable[[str], PassManager]) -> None:
    """A pass that no op can satisfy is not an error in an `any` manager."""
    parse("any(on-callable,on-func,on-module)").check()


def test_a_nested_pipeline_that_never_matches_is_accepted(
    trace: Callable[[str, str], list[str]],
) -> None:
    """Nested pipelines are schedulable under any anchor."""
    assert trace("toy.func(toy.module(a),b)", "toy.func @f") == ["b @f"]


def test_an_unknown_nested_anchor_is_found_before_the_run(
    parse: Callable[[str], PassManager],
) -> None:
    """A misspelt anchor is an error with its place and a suggestion, not a silent no-op."""
    with pytest.raises(AnchorError) as info:
        parse("toy.module(a,toy.fnuc(b))").run(parse_toy("toy.module"))
    (problem,) = info.value.problems
    assert problem.message == (
        "no registered operation is called 'toy.fnuc'; did you mean 'toy.func'?"
    )
    assert problem.span is not None
    assert (problem.span.text, problem.span.column) == ("toy.fnuc", 14)


def test_a_run_needs_an_op_of_the_anchor(parse: Callable[[str], PassManager]) -> None:
    """A manager with an anchor refuses other ops, even when it is empty."""
    with pytest.raises(
        AnchorError, match=r"^can't run 'toy.func' pass manager on 'toy.module' op$"
    ):
        parse("toy.func()").run(parse_toy("toy.module"))


# -- Nesting ---------------------------------------------------------------------------------


def test_explicit_nesting_refuses_a_pass_for_another_op(make: Callable[..., Pass[Any]]) -> None:
    """By default, a pass restricted to another op is refused with the way out."""
    pm = OpPassManager("toy.module")
    with pytest.raises(AnchorError) as info:
        pm.add(make("on-func"))
    assert info.value.problems[0].message == (
        "can't add pass 'on-func' restricted to 'toy.func' on a PassManager intended to run on "
        "'toy.module', did you intend to nest? Write toy.module(toy.func(on-func))"
    )
    assert len(pm) == 0


def test_implicit_nesting_wraps_a_pass_for_another_op(make: Callable[..., Pass[Any]]) -> None:
    """An implicit manager puts each such pass into a nested manager of its own."""
    pm = OpPassManager("toy.module", nesting=Nesting.IMPLICIT)
    pm.add(make("on-func"), make("on-func"), make("a"), make("on-module"))
    assert str(pm) == "toy.module(toy.func(on-func),toy.func(on-func),a,on-module)"


@pytest.mark.parametrize("nesting", list(Nesting))
def test_a_manager_without_an_anchor_never_nests(
    make: Callable[..., Pass[Any]], nesting: Nesting
) -> None:
    """`any` has no anchor to differ from: an op-specific pass is simply appended."""
    assert str(OpPassManager(ANY, nesting=nesting).add(make("on-func"))) == "any(on-func)"


@pytest.mark.parametrize("nesting", list(Nesting))
@pytest.mark.parametrize("name", ["a", "on-callable"])
def test_passes_without_an_anchor_are_appended(
    make: Callable[..., Pass[Any]], nesting: Nesting, name: str
) -> None:
    """Agnostic and interface passes have no op name, so nothing nests or refuses them."""
    pm = OpPassManager("toy.module", nesting=nesting).add(make(name))
    assert str(pm) == f"toy.module({name})"


def test_nested_managers_inherit_the_nesting_mode(make: Callable[..., Pass[Any]]) -> None:
    """A manager nested in an implicit one nests implicitly, also inside an implicit wrap."""
    pm = OpPassManager("toy.module", nesting=Nesting.IMPLICIT)
    assert pm.nest("toy.module").nesting is Nesting.IMPLICIT
    pm.add(make("on-func"))
    wrap = list(pm)[1]
    assert isinstance(wrap, OpPassManager)
    assert wrap.nesting is Nesting.IMPLICIT
    assert OpPassManager("toy.module").nest("toy.func").nesting is Nesting.EXPLICIT


def test_text_never_nests_implicitly(
    parse: Callable[[str], PassManager], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass for another op is refused in text, with its place, whatever the manager's mode."""
    with pytest.raises(AnchorError, match="did you intend to nest") as info:
        parse("toy.module(a,on-func)")
    assert info.value.span is not None
    assert info.value.span.text == "on-func"


def test_a_missing_dialect_has_a_place_in_the_text() -> None:
    """That of the pass that depends on it, also inside of an option."""

    class Needs(Pass):
        """Depend on a dialect that does not exist."""

        name = "needs"
        dependent_dialects = ("nosuch",)

        def run(self, op: Any, ctx: PassContext) -> None:
            """Do nothing."""

    registry = default_registry().copy()
    registry.register(Needs)
    text = "toy.module(composite-fixed-point-pass{pipeline={needs}})"
    pm = PassManager.parse(text, registry=registry, adapter=ToyAdapter())
    with pytest.raises(AnchorError, match="'needs' depends on dialect 'nosuch'") as info:
        pm.check()
    assert info.value.span is not None
    assert info.value.span.start == text.index("needs")


def test_one_thread_compiles_at_a_time() -> None:
    """An IR's context is asked for its ops by one thread only, whichever thread compiles."""

    class Guarded(ToyAdapter):
        """The toy IR, whose contexts are for one thread at a time."""

        lock = Lock()

        def kind_named(self, context: Any, name: str) -> OpKind | None:
            assert self.lock.acquire(blocking=False)
            sleep(0.01)
            self.lock.release()
            return super().kind_named(context, name)

    compiler = PipelineCompiler(Guarded(), set[str]())
    managers = [OpPassManager("toy.module").add_nested("toy.func") for _ in range(4)]
    compiled: list[str] = []

    def compile_one(manager: OpPassManager) -> None:
        compiled.append(str(compiler.schedule(manager).pipeline))

    threads = [Thread(target=compile_one, args=(manager,)) for manager in managers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert compiled == ["toy.module(toy.func())"] * 4
