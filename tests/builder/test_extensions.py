"""Extensions: names, errors, conflicts and order."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest
from builder_passes import A, B, OnFunc, X, made
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import Dialect

from passel import (
    AnchorError,
    InsertionError,
    Pass,
    PassContext,
    PassManager,
    PassRegistry,
    PipelineError,
    default_registry,
)
from passel.builder import (
    Extension,
    PipelineBuilder,
    after_any,
)
from passel.passes.factory import make_pass_class
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable


def test_extensions_register_dialects_and_passes() -> None:
    """An extension can register dialects and passes, and add these passes by name."""

    class Brought(Pass[Any]):
        """A pass that the extension brings."""

        name = "brought"

        def run(self, op: Any, ctx: PassContext) -> None: ...

    def extend(builder: PipelineBuilder) -> None:
        builder.context.load_dialect(Dialect("mine", [], []))
        builder.registry.register(Brought)
        builder.add("brought")

    registry = PassRegistry(default_registry())
    builder = PipelineBuilder(registry=registry, adapter=XDSLAdapter()).extend(extend)
    manager = builder.build()
    assert str(manager) == "builtin.module(brought)"
    assert manager.context is builder.context
    assert "mine" in {each.name for each in manager.context.loaded_dialects}


ERRORS: list[tuple[Callable[[PipelineBuilder], object], type[PipelineError]]] = [
    (lambda builder: builder.add(OnFunc()), AnchorError),
    (lambda builder: builder.add("func.func(cse-)"), PipelineError),
    (lambda builder: builder.insert_before("none", X()), InsertionError),
]


@pytest.mark.parametrize(("function", "kind"), ERRORS)
def test_errors_name_the_extension(
    function: Callable[[PipelineBuilder], object], kind: type[PipelineError]
) -> None:
    """The message starts with the name of the extension and keeps the place in the text."""
    with pytest.raises(kind) as caught:
        made(A()).extend(Extension("mine", function))
    assert caught.value.problems[0].message.startswith("extension 'mine': ")
    assert (caught.value.problems[0].span is not None) is (kind is PipelineError)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy)) == (type(caught.value), str(caught.value))


def test_exceptions_have_a_note() -> None:
    """Other exceptions of an extension keep their type and get a note."""

    def broken(_: PipelineBuilder) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError) as caught:
        made(A()).extend(Extension("mine", broken))
    assert caught.value.__notes__ == ["in extension 'mine'"]


def test_extensions_run_in_the_order_of_their_names() -> None:
    """Extensions run in the order of their names, not of the arguments."""

    def append(n: int) -> Callable[[PipelineBuilder], object]:
        return lambda builder: builder.add(X(n=n))

    builder = made(A()).extend(Extension("second", append(2)), Extension("first", append(1)))
    assert str(builder) == "builtin.module(a,x{n=1},x{n=2})"


def test_an_extension_takes_what_another_needs() -> None:
    """The error names the extension that misses a step, and no extension takes effect."""

    def takes(builder: PipelineBuilder) -> None:
        builder.remove("a")

    def misses(builder: PipelineBuilder) -> None:
        builder.insert_before("a", X())

    builder = made(A(), B())
    with pytest.raises(InsertionError) as caught:
        builder.extend(Extension("first", takes), Extension("second", misses))
    assert str(caught.value) == "extension 'second': 'a' is not in the pipeline, which has 'b'"
    assert str(builder) == "builtin.module(a,b)"


LETTERS = {name: make_pass_class(Pass, name.title(), name=name) for name in "abcd"}


@given(st.permutations("abcd"), st.permutations("abcd"), st.lists(st.sampled_from("abcd")))
def test_order_of_extensions_does_not_matter(
    one: list[str], other: list[str], wanted: list[str]
) -> None:
    """The order of extensions that place passes does not affect the pipeline."""

    def extension(name: str) -> Extension:
        def extend(builder: PipelineBuilder) -> None:
            builder.place(LETTERS[name]())
            for target in wanted[:2]:
                if target != name and target in builder:
                    builder.constrain(name, after_any(target))

        return Extension(name, extend)

    results: list[str] = []
    for names in (one, other):
        try:
            results.append(str(PipelineBuilder().extend(*map(extension, names))))
        except InsertionError as error:
            results.append(re.sub(r":\d+", "", str(error)))
    assert results[0] == results[1]


def test_managers_round_trip() -> None:
    """A builder made from a manager builds an equal manager."""
    manager = PassManager.parse("builtin.module(func.func(func.func(cse),cse),any(cse),symbol-dce)")
    assert PipelineBuilder.from_manager(manager).build() == manager
