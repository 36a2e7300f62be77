"""Which adjacent nested pipelines become one, as `mlir::detail::OpToOpPassAdaptor::tryMergeInto`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel import OpKind, PassManager
from passel.schedule import NestedStep, Pipeline, passes_of
from passel.schedule import merged as merged_of
from passel.testing import ToyAdapter

if TYPE_CHECKING:
    from collections.abc import Callable


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
        ("func(a),func(b)", "func(a,b)", "equal anchors"),
        ("func(a),func(b),func(a)", "func(a,b,a)", "as many as are adjacent"),
        ("func(a),module(b),func(c)", "func(a,c)|module(b)", "different anchors side by side"),
        ("module(b),func(a)", "func(a)|module(b)", "sorted by anchor"),
        ("func(a),b,func(c)", "func(a),b,func(c)", "a pass between keeps them apart"),
        ("any(a),func(b)", "any(a),func(b)", "any accepts functions"),
        ("func(b),any(a)", "func(b),any(a)", "any accepts functions"),
        ("any(on-callable),module(b)", "module(b)|any(on-callable)", "any refuses modules"),
        ("module(b),any(on-callable)", "module(b)|any(on-callable)", "any is last"),
        ("any(on-callable),any(on-callable2)", "any(on-callable),any(on-callable2)", "never"),
        ("any(picky),any(on-func)", "any(picky),any(on-func)", "not even if disjoint"),
        (
            "module(b),any(on-callable),func(a)",
            "module(b)|any(on-callable),func(a)",
            "the first two merge, the third conflicts",
        ),
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
        ("module(func(a),func(b))", "module(func(a,b))", "at every depth"),
        ("func(a,b),func(b,a)", "func(a,b,b,a)", "order of passes is kept"),
        ("any(a),toy.region()", "region()|any(a)", "any refuses ops that are not isolated"),
    ],
)
def test_adjacent_nested_pipelines_merge(
    merged: Callable[[str], str], elements: str, expected: str, why: str
) -> None:
    """Adjacent nested pipelines merge exactly if no op could be taken by both in doubt."""
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
