"""Which pass runs on which op, and which adjacent nested pipelines become one, as in MLIR."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest
from toy_steps import failure_of, recorded

from passel import ANY, AnchorError, Nesting, OpKind, OpPassManager, Pass, PassManager
from passel.passes import PassRegistry, default_registry
from passel.schedule import NestedStep, Pipeline, passes_of
from passel.schedule.compiler import PipelineCompiler
from passel.schedule.model import merged as merged_of
from passel.testing import ToyAdapter, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.errors import Problem


@pytest.mark.parametrize(
    ("pipeline", "ir", "ran", "why"),
    [
        ("toy.module(toy.func(a))", "toy.module(toy.func @f,toy.module @m(toy.func @g))", ["a @f"], "one level deep"),
        ("toy.module(toy.func(a))", "toy.module(toy.module @m)", [], "no pipeline for modules"),
        ("toy.module(any(a,on-callable))", "toy.module(toy.module @m,toy.func @f)", ["a @f", "on-callable @f"], "one pass filters the whole manager"),
        ("toy.module(any(a,picky))", "toy.module(toy.module @m,toy.func @f)", ["a @m", "picky @m"], "one pass filters the whole manager"),
        ("any(a,on-func,b)", "toy.module @m", ["a @m", "unschedulable @m"], "passes before the wrong one run"),
        ("toy.module(toy.region(),a)", "toy.module @m(toy.region)", ["a @m"], "empty managers run on any op"),
        ("any()", "other.op", [], "an empty manager checks nothing"),
        ("toy.func(toy.module(a),b)", "toy.func @f", ["b @f"], "nested pipelines may match nothing"),
    ],
)  # fmt: skip
def test_which_passes_run_on_which_ops(
    trace: Callable[[str, str], list[str]], pipeline: str, ir: str, ran: list[str], why: str
) -> None:
    """The op's kind decides, for `any` together with all passes directly in the manager."""
    assert trace(pipeline, ir) == ran, why


@pytest.mark.parametrize(
    ("ir", "message"),
    [
        ("other.op", "a pass on an unregistered operation"),
        ("toy.region", "a pass on an operation not marked as 'IsolatedFromAbove'"),
        ("toy.module", "pass 'on-func' on an unsupported operation"),
    ],
)
def test_nothing_filters_at_the_top(
    parse: Callable[[str], PassManager], ir: str, message: str
) -> None:
    """An op that cannot run a top-level `any` manager is an error on that op, without hooks."""
    pm = parse("any(on-func)")
    events = recorded(pm)
    failure = failure_of(pm, ir)
    assert (failure.kind, failure.path) == ("unschedulable", "any/0:on-func")
    assert failure.diagnostic.message == f"'{ir}' op trying to schedule {message}"
    assert events == []


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("toy.module(a,on-callable)", "on ops that implement Callable_"),
        ("toy.func(a,picky)", "on ops for which the pass's can_schedule_on returns True"),
    ],
)
def test_a_pass_that_refuses_its_anchor_is_found_before_the_run(
    parse: Callable[[str], PassManager], text: str, where: str
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
        f"It runs {where}"
    )
    assert problem.span is not None
    assert problem.span.text == named


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("toy.module(on-callable,a,on-callable2)", ["on-callable", "on-callable2"]),
        ("toy.module(on-callable,toy.func(picky))", ["picky"]),
        ("other.op(on-callable)", []),
        ("any(on-callable,on-func,on-module)", []),
    ],
)
def test_all_unschedulable_passes_of_the_innermost_manager_are_reported(
    parse: Callable[[str], PassManager], text: str, refused: list[str]
) -> None:
    """Passes on `any` op, and on an unregistered op at the top, are checked only by the run."""
    found: list[Problem] = []
    try:
        parse(text).check()
    except AnchorError as error:
        found += error.problems
    assert [problem.span.text for problem in found if problem.span] == refused


# -- Nesting ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("anchor", "nesting", "names", "expected"),
    [
        ("toy.module", Nesting.IMPLICIT, ["on-func", "on-func", "on-module"], "toy.module(toy.func(on-func),toy.func(on-func),on-module)"),
        *((ANY, nesting, ["on-func"], "any(on-func)") for nesting in Nesting),
        *(("toy.module", nesting, ["a", "on-callable"], "toy.module(a,on-callable)") for nesting in Nesting),
    ],
)  # fmt: skip
def test_passes_that_are_not_refused(
    make: Callable[..., Pass[Any]], anchor: str, nesting: Nesting, names: list[str], expected: str
) -> None:
    """Implicit nesting wraps passes for another op; passes and managers for any op never nest."""
    assert str(OpPassManager(anchor, nesting=nesting).add(*map(make, names))) == expected


def test_nested_managers_inherit_the_nesting_mode(make: Callable[..., Pass[Any]]) -> None:
    """A manager nested in an implicit one nests implicitly, also inside an implicit wrap."""
    pm = OpPassManager("toy.module", nesting=Nesting.IMPLICIT)
    assert pm.nest("toy.module").nesting is Nesting.IMPLICIT
    pm.add(make("on-func"))
    wrap = list(pm)[1]
    assert isinstance(wrap, OpPassManager)
    assert wrap.nesting is Nesting.IMPLICIT
    assert OpPassManager("toy.module").nest("toy.func").nesting is Nesting.EXPLICIT


def test_a_missing_dialect_has_a_place_in_the_text() -> None:
    """That of the pass that depends on it, also inside of an option."""
    body: dict[str, Any] = {"run": print, "dependent_dialects": ("nosuch",)}
    registry = PassRegistry(default_registry())
    registry.register(type("Needs", (Pass,), {"name": "needs", **body}))
    text = "toy.module(composite-fixed-point-pass{pipeline={needs}})"
    pm = PassManager.parse(text, registry=registry, adapter=ToyAdapter())
    with pytest.raises(AnchorError, match="'needs' depends on dialect 'nosuch'") as info:
        pm.check()
    assert info.value.problems[0].span is not None
    assert info.value.problems[0].span.start == text.index("needs")


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
    with ThreadPoolExecutor(4) as threads:
        compiled = list(threads.map(compiler.schedule, managers))
    assert [*map(str, compiled)] == ["toy.module(toy.func())"] * 4


def never(interface: type) -> bool:
    """Implement no interface."""
    return False


class Zoo(ToyAdapter):
    """The toy IR with more ops, whose names sort around `any`."""

    kinds = ToyAdapter.kinds | {
        name: OpKind(name, registered=True, isolated=True, implements=never)
        for name in ("zoo.é", "zoo.z", "aaa.op")
    }


def schedule(pm: PassManager) -> Pipeline:
    """Return the pipeline that a manager is compiled to, which leaves the manager as it is."""
    before, pipeline = str(pm), merged_of(pm, adapter=Zoo(), context=set[str]())
    assert str(pm) == before
    return pipeline


def text(pipeline: Pipeline) -> str:
    """Print a schedule; the pipelines of one merged step are separated by `|`."""
    steps = (
        "|".join(map(text, step.pipelines)) if isinstance(step, NestedStep) else step.pass_.name
        for step in pipeline.steps
    )
    return f"{pipeline.anchor.removeprefix('toy.')}({','.join(steps)})"


@pytest.fixture
def merged(parse: Callable[[str], PassManager]) -> Callable[[str], str]:
    """Compiles the elements of a `toy.module` pipeline and prints the schedule."""

    def merged(elements: str) -> str:
        for anchor in ("func", "module"):
            elements = elements.replace(f"{anchor}(", f"toy.{anchor}(")
        return text(schedule(parse(f"toy.module({elements})"))).removeprefix("module(")[:-1]

    return merged


@pytest.mark.parametrize(
    ("elements", "expected", "why"),
    [
        ("func(a),func(b),func(a)", "func(a,b,a)", "as many as are adjacent"),
        ("module(b),func(a)", "func(a)|module(b)", "sorted by anchor"),
        ("module(b),any(on-callable)", "module(b)|any(on-callable)", "any is last"),
        ("any(picky),any(on-func)", "any(picky),any(on-func)", "not even if disjoint"),
        (
            "any(on-callable),func(a),func(b)",
            "any(on-callable),func(a,b)",
            "what failed to merge is merged into",
        ),
        ("any(module(b)),func(a)", "any(module(b)),func(a)", "nested pipelines don't restrict any"),
        ("any(),func(a)", "any(),func(a)", "an empty any accepts all"),
        ("any(on-callable),module()", "module()|any(on-callable)", "empty ones merge too"),
        ("zoo.z(a),any(on-module)", "zoo.z(a)|any(on-module)", "any is last, whatever the names"),
        ("zoo.é(a),zoo.z(a),aaa.op(a)", "aaa.op(a)|zoo.z(a)|zoo.é(a)", "names sort byte-wise"),
        ("func(a,module(b)),func(module(c))", "func(a,module(b,c))", "inner ones merge too"),
        ("func(a,b),func(b,a)", "func(a,b,b,a)", "order of passes is kept"),
        ("any(a),toy.region()", "region()|any(a)", "any refuses ops that are not isolated"),
    ],
)
def test_adjacent_nested_pipelines_merge(
    merged: Callable[[str], str], elements: str, expected: str, why: str
) -> None:
    """Neighbours merge unless an op may match two, beyond the cases that are compared with mlir-opt."""
    assert merged(elements) == expected, why


def test_paths_name_a_pass_by_its_place_in_the_schedule(
    parse: Callable[[str], PassManager],
) -> None:
    """A path is the anchors around a pass, its number among all passes there, and its name."""
    pm = parse("toy.module(a,toy.func(a),toy.func(b),a,toy.func(c),any(toy.func(a)))")
    assert [step.path for step in passes_of(schedule(pm))] == [
        "toy.module/0:a",
        "toy.module/toy.func/0:a",
        "toy.module/toy.func/1:b",
        "toy.module/1:a",
        "toy.module/toy.func/2:c",
        "toy.module/any/toy.func/0:a",
    ]
