"""Adding to a builder, inserting, replacing and removing."""

from __future__ import annotations

import pytest
from builder_passes import A, B, Bufferize, Lower, OnFunc, OnModule, X, made

from passel import AnchorError, InsertionError, OpPassManager, PipelineError
from passel.builder import BUFFERIZATION, LOWERING, Bundle, PipelineBuilder, before_first


def test_before_stops_at_the_first_and_after_at_the_last() -> None:
    """Several steps match: before means before the first, after means after the last."""
    builder = made(A(), B(), A(), B())
    builder.insert_before(A, X(n=1))
    builder.insert_after("a", X(n=2))
    assert str(builder) == "builtin.module(x{n=1},a,b,a,x{n=2},b)"


@pytest.mark.parametrize(
    ("occurrence", "expected"),
    [
        ("first", "x,a,b,a,b"),
        ("last", "a,b,x,a,b"),
        ("all", "x,a,b,x,a,b"),
        (1, "a,b,x,a,b"),
        (-2, "x,a,b,a,b"),
    ],
)
def test_occurrences(occurrence: int, expected: str) -> None:
    """An occurrence is the first, the last, all, or a number."""
    builder = made(A(), B(), A(), B())
    builder.insert_before(A, X(), occurrence=occurrence)
    assert str(builder) == f"builtin.module({expected})"


def test_types_are_intervals() -> None:
    """After the last of a type, before the first of a type, inside a type."""
    builder = made(A(), Bufferize(), B(), Bufferize(), Lower(), Lower())
    builder.insert_after(BUFFERIZATION, X(n=1))
    builder.insert_before(LOWERING, X(n=2))
    builder.insert_inside(BUFFERIZATION, X(n=3))
    assert str(builder) == (
        "builtin.module(a,bufferize,x{n=3},b,bufferize,x{n=1},x{n=2},lower,lower)"
    )


def test_a_missing_target_changes_nothing() -> None:
    """The error names what is there; with `missing_ok` the handle is empty."""
    builder = made(A(), B())
    with pytest.raises(InsertionError, match="'aa' is not in the pipeline; did you mean 'a'"):
        builder.insert_before("aa", X())
    with pytest.raises(InsertionError, match="there is no pass of type 'bufferization'"):
        builder.insert_after(BUFFERIZATION, X())
    assert not builder.insert_after(BUFFERIZATION, X(), missing_ok=True)
    with pytest.raises(
        InsertionError, match="no occurrence 1 of 'a': there is only 1, counted from 0"
    ):
        builder.insert_before("a", X(), occurrence=1)
    assert str(builder) == "builtin.module(a,b)"


def test_handles_stay_valid() -> None:
    """A step that was put next to one of several equal ones stays with that one."""
    builder = PipelineBuilder()
    first = builder.add(A())
    builder.add(A())
    builder.insert_after(first, X())
    builder.insert_before(first, A())
    builder.insert_after(first, B())
    assert str(builder.copy()) == "builtin.module(a,a,b,x,a)"


def test_a_pass_goes_outside_the_nest_of_its_target() -> None:
    """A module pass next to a target inside of a nest goes outside the nest, or splits it."""
    nest = OpPassManager("func.func").add(A(), B())
    builder = made(nest)
    builder.insert_before(A, OnModule())
    builder.insert_after(B, OnModule())
    assert str(builder) == "builtin.module(on-module,func.func(a,b),on-module)"
    builder = made(nest)
    with pytest.raises(InsertionError, match="split=True"):
        builder.insert_before(B, OnModule())
    assert str(builder) == "builtin.module(func.func(a,b))"
    builder.insert_before(B, OnModule(), split=True)
    assert str(builder) == "builtin.module(func.func(a),on-module,func.func(b))"
    with pytest.raises(AnchorError, match="did you intend to nest"):
        builder.insert_before(OnModule, OnFunc())


def test_bundles() -> None:
    """A bundle's members are steps; one that stays together takes nothing between."""
    cleanup = Bundle("cleanup", A(), B())
    builder = made(X(), cleanup)
    builder.insert_before(B, X(n=1))
    builder.insert_before(cleanup, X(n=2))
    builder.insert_after("cleanup", X(n=3))
    assert str(builder) == "builtin.module(x,x{n=2},a,x{n=1},b,x{n=3})"
    tight = made(Bundle("tight", A(), B(), together=True))
    with pytest.raises(InsertionError, match="inside bundle 'tight'"):
        tight.insert_before(B, X())
    tight.insert_before(A, X())
    assert str(tight) == "builtin.module(x,a,b)"


def test_stages() -> None:
    """A stage has a place before and after it, a default, and may have to be filled."""
    builder = PipelineBuilder()
    middle = builder.stage("middle", A())
    builder.stage("end", required=True)
    builder.add(X(), stage="pre_middle")
    builder.insert_after(middle, X(n=2))
    with pytest.raises(InsertionError, match="stage 'end'"):
        builder.build()
    builder.add(B(), stage="end")
    assert str(builder.build()) == "builtin.module(x,a,x{n=2},b)"
    builder.add(B(), stage="middle")
    assert str(builder.build()) == "builtin.module(x,b,x{n=2},b)"


def test_replace_and_remove() -> None:
    """Steps can be replaced and removed."""
    builder = made(A(), B(), A())
    builder.replace(A, X(), occurrence="last")
    assert str(builder.build()) == "builtin.module(a,b,x)"
    builder.remove(A)
    assert str(builder.build()) == "builtin.module(b,x)"


def test_a_label_for_several() -> None:
    """What one call adds under a label is found, replaced and taken out as one."""
    builder = PipelineBuilder()
    builder.add("symbol-dce")
    tidy = builder.add("canonicalize,cse", label="tidy")
    assert tidy.labels == ("canonicalize", "cse")
    builder.insert_before("tidy", "sccp")
    builder.insert_after("tidy", "inline")
    assert str(builder) == "builtin.module(symbol-dce,sccp,canonicalize,cse,inline)"
    builder.replace("tidy", "dce")
    assert str(builder) == "builtin.module(symbol-dce,sccp,dce,inline)"
    builder.place("func.func(cse)", "canonicalize", label="late")
    assert {step.label for step in builder.find("late")} == {"cse#2", "canonicalize#2"}
    builder.remove("late")
    assert "cse" not in builder


def test_all_pipelines_around_a_target_are_split() -> None:
    """A pipeline at the edge of another one is split together with that."""
    text = "builtin.module(gpu.module(gpu.func(canonicalize,cse),symbol-dce))"
    split = (
        "builtin.module(gpu.module(gpu.func(canonicalize)),on-module,"
        "gpu.module(gpu.func(cse),symbol-dce))"
    )
    for insert, target in (("insert_before", "cse"), ("insert_after", "canonicalize")):
        builder = PipelineBuilder.parse(text)
        with pytest.raises(InsertionError, match="allow it with split=True"):
            getattr(builder, insert)(target, OnModule())
        assert str(builder) == text
        getattr(builder, insert)(target, OnModule(), split=True)
        assert str(builder) == split


def test_what_was_found_before_a_refusal_is_found_after_it() -> None:
    """Steps, handles and views stay valid, and a refused item uses up no label."""
    builder = made(A(), B())
    builder.constrain("x", before_first("a"))
    nested = builder.nest("func.func")
    (step,) = builder.find("b")
    handle = nested.add(OnFunc())

    def refused_extension(other: PipelineBuilder) -> None:
        other.remove("a")
        other.add("csee")

    for refused in (
        lambda: builder.add(X()),
        lambda: builder.insert_after(handle, OnFunc(), X()),
        lambda: builder.extend(refused_extension),
    ):
        before = builder.draw()
        with pytest.raises(PipelineError):
            refused()
        assert builder.draw() == before
    builder.insert_before("a", X())
    builder.insert_after(step, B())
    builder.insert_before(handle, OnFunc())
    nested.add(OnFunc())
    assert str(builder) == "builtin.module(x,a,b,b,func.func(on-func,on-func,on-func))"
    assert [each.label for each in builder.find("x")] == ["x"]
