"""Calls of a builder that mean nothing are refused, with what would mean something."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from builder_passes import A, B, OnFunc, X, made

from passel import (
    AnchorError,
    DefinitionError,
    InsertionError,
    OpPassManager,
    Pass,
    PassManager,
    PassRegistry,
    PipelineError,
)
from passel.builder import (
    CLEANUP,
    Bundle,
    DeclarationTable,
    Extension,
    PipelineBuilder,
    after_any,
    not_between,
)


@pytest.mark.parametrize("occurrence", ["frist", None, 1.5])
def test_occurrences_are_words_or_numbers(occurrence: Any) -> None:
    """Any other is refused, whether or not the target is there."""
    builder = made(A())
    for target in ("a", "b"):
        with pytest.raises(ValueError, match="an occurrence is 'first', 'last', 'all' or a number"):
            builder.insert_before(target, B(), occurrence=occurrence)
    with pytest.raises(InsertionError, match="no occurrence -3 of 'a': there is only 1, "):
        builder.insert_before("a", B(), occurrence=-3)


@pytest.mark.parametrize("target", [3, None, int, ("a",), A()])
def test_what_is_no_target(target: Any) -> None:
    """What cannot stand for steps is an error and not an absent target."""
    builder = made(A())
    with pytest.raises(TypeError, match="a target is a pass class, a name, "):
        builder.insert_before(target, B(), missing_ok=True)
    with pytest.raises(TypeError):
        assert target not in builder
    with pytest.raises(TypeError, match="a target is a pass class, a name, "):
        not_between("a", target)


def test_a_step_is_a_target_of_copies_and_of_no_other_builder() -> None:
    """In a copy, it stands for the copy's own step; elsewhere for nothing."""
    builder = made(A())
    (step,) = builder.find("a")
    other = builder.copy()
    other.insert_before(step, B())
    assert str(builder) == "builtin.module(a)"
    assert str(other) == "builtin.module(b,a)"
    stranger = made(A())
    assert step not in stranger
    with pytest.raises(InsertionError, match="'a' is not in the pipeline"):
        stranger.insert_before(step, B())
    assert str(builder) == "builtin.module(a)"


def test_missing_stages_and_bundles_have_hints_of_their_kind() -> None:
    """A pass of the same name is no way out of a missing stage."""
    builder = made(A(), Bundle("tidy", B()))
    with pytest.raises(InsertionError, match="stage 'a' is not in the pipeline; it has no stages"):
        builder.insert_inside("a", X())
    builder.stage("codegen")
    with pytest.raises(InsertionError, match=r"stage 'codgen' .* did you mean 'codegen'"):
        builder.add(X(), stage="codgen")
    with pytest.raises(InsertionError, match=r"bundle 'tydy' .* did you mean 'tidy'"):
        builder.insert_before(Bundle("tydy", B()), X())


def test_labels_are_given_once() -> None:
    """A label that was asked for is the label that is given, or there is an error."""
    builder = PipelineBuilder()
    builder.add(A(), label="start")
    for call in (builder.add, builder.place):
        with pytest.raises(InsertionError, match="already an item with the label 'start'"):
            call(B(), label="start")
    builder.add("cse,canonicalize", label="tidy")
    for taken in ("tidy", "cse"):
        with pytest.raises(InsertionError, match=f"already an item with the label '{taken}'"):
            builder.add(A(), B(), label=taken)
    builder.remove("tidy")
    assert [step.label for step in builder.steps()] == ["start"]
    builder.nest("func.func", label="functions")
    assert str(builder) == "builtin.module(a,func.func())"


def test_nothing_is_added_to_a_nested_pipeline_that_is_gone() -> None:
    """What would not be built is refused."""
    builder = PipelineBuilder()
    functions = builder.nest("func.func")
    blocks = functions.nest("any")
    blocks.add(A())
    builder.remove("a")
    blocks.add(A())
    builder.remove("func.func")
    for nested, name in ((functions, "func.func"), (blocks, "any")):
        for call in (nested.add, nested.place):
            with pytest.raises(InsertionError, match=f"pipeline '{name}' no longer exists"):
                call(OnFunc())
        with pytest.raises(InsertionError, match=f"pipeline '{name}' no longer exists"):
            nested.stage("late")


@pytest.mark.parametrize("types", [("cleanup",), CLEANUP, "cleanup"])
def test_what_are_no_types(types: Any) -> None:
    """Texts are no types, and one type is no tuple of types."""
    with pytest.raises(DefinitionError):
        Bundle("tidy", A(), types=types)
    with pytest.raises(DefinitionError):
        type("Tidy", (Pass,), {"name": "tidy", "types": types})
    with pytest.raises(DefinitionError):
        DeclarationTable().declare("cse", types=types)


def test_a_builder_is_no_pass() -> None:
    """It can be called, as a registered pipeline is, and is not a function that works on ops."""
    builder = made(A())
    for call in (builder.add, builder.place, partial(builder.insert_before, "a")):
        with pytest.raises(TypeError, match="a builder is not a pass; register it as a pipeline"):
            call(made(B()))
    assert str(builder) == "builtin.module(a)"


def test_one_constraint_is_no_tuple() -> None:
    """The error shows how to write it."""
    with pytest.raises(DefinitionError, match=r"constraints of Tidy is Constraint\(.*; write \("):
        type("Tidy", (Pass,), {"name": "tidy", "constraints": after_any("b")})
    with pytest.raises(DefinitionError, match="constraints of bundle 'tidy' is"):
        Bundle("tidy", A(), constraints=after_any("b"))  # pyright: ignore[reportArgumentType]


def append(builder: PipelineBuilder, n: int = 1) -> None:
    """Append a pass."""
    builder.add(X(n=n))


def test_extensions_are_functions_with_names_of_their_own() -> None:
    """Names decide about their order, so that equal ones would leave it to the arguments."""
    builder = made(A())
    with pytest.raises(TypeError, match="an extension is a function that takes a builder, not 'x'"):
        builder.extend("x")  # pyright: ignore[reportArgumentType]
    one = partial(PipelineBuilder.add, label="")
    with pytest.raises(InsertionError, match=r"two extensions have the name 'functools\.partial'"):
        builder.extend(one, one)
    builder.extend(Extension("second", partial(append, n=2)), Extension("first", append))
    assert str(builder) == "builtin.module(a,x{n=1},x{n=2})"


def test_a_target_that_was_taken_out_is_no_riddle() -> None:
    """Who took it out and who misses it are both named."""

    def takes(builder: PipelineBuilder) -> None:
        builder.remove("a")

    def misses(builder: PipelineBuilder) -> None:
        builder.insert_before("a", X())

    builder = made(A(), B())
    with pytest.raises(InsertionError) as caught:
        builder.extend(Extension("first", takes), Extension("second", misses))
    assert str(caught.value) == (
        "extension 'second': 'a' is not in the pipeline: extension 'first' removed it"
    )
    with pytest.raises(InsertionError, match="extensions 'first' and 'second' conflict"):
        builder.extend(Extension("first", misses), Extension("second", takes))
    assert str(builder) == "builtin.module(a,b)"


# -- As registered pipelines ---------------------------------------------------------------------


def registry_with(**builders: PipelineBuilder) -> PassRegistry:
    """Return a registry with builders as pipelines."""
    registry = PassRegistry()
    for name, builder in builders.items():
        registry.register_pipeline(name, builder)
    return registry


def test_another_anchor_is_refused() -> None:
    """A builder's pipeline stands where its anchor is, or any op; the error says where."""
    builder = made(OpPassManager("func.func").add(OnFunc()))
    registry = registry_with(p=builder)
    assert str(PassManager.parse("any(p)", registry=registry)) == "any(func.func(on-func))"
    with pytest.raises(AnchorError, match=r"for 'builtin\.module', not for") as caught:
        PassManager.parse("builtin.module(func.func(p))", registry=registry)
    assert caught.value.span is not None
    assert caught.value.span.column == 26


def test_what_it_cannot_build_is_refused() -> None:
    """A stage that is empty is an error at the place of the pipeline's name."""
    builder = made(A())
    builder.stage("lowering", required=True)
    with pytest.raises(PipelineError, match="stage 'lowering' must not be empty") as caught:
        PassManager.parse("any(p)", registry=registry_with(p=builder))
    assert caught.value.span is not None
