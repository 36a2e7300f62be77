"""Adding, inserting and removing passes; invalid calls are rejected, with a way out."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from builder_passes import A, B, Bufferize, Lower, OnFunc, OnModule, X, made, snapshot

from passel import AnchorError, DefinitionError, InsertionError, OpPassManager, Pass, PipelineError
from passel.builder import (
    BUFFERIZATION,
    CLEANUP,
    LOWERING,
    Bundle,
    DeclarationTable,
    PassType,
    PipelineBuilder,
    after_any,
    before_first,
)

if TYPE_CHECKING:
    from collections.abc import Callable


SEVERAL = (A(), B(), A(), B())
TYPES = (A(), Bufferize(), B(), Bufferize(), Lower(), Lower())
TIDY = Bundle("tidy", A(), B())
NEST = OpPassManager("func.func").add(A(), B())
EDITS: dict[str, tuple[tuple[object, ...], Callable[[PipelineBuilder], object], str]] = {
    "before the first": (SEVERAL, lambda b: b.insert_before(A, X()), "x,a,b,a,b"),
    "after the last": (SEVERAL, lambda b: b.insert_after("a", X()), "a,b,a,x,b"),
    "before the last": (SEVERAL, lambda b: b.insert_before(A, X(), occurrence="last"), "a,b,x,a,b"),
    "before all": (SEVERAL, lambda b: b.insert_before(A, X(), occurrence="all"), "x,a,b,x,a,b"),
    "after a step": (SEVERAL, lambda b: b.insert_after(b.find("a")[0], X()), "a,x,b,a,b"),
    "after a type": (TYPES, lambda b: b.insert_after(BUFFERIZATION, X()), "a,bufferize,b,bufferize,x,lower,lower"),
    "before a type": (TYPES, lambda b: b.insert_before(LOWERING, X()), "a,bufferize,b,bufferize,x,lower,lower"),
    "into a bundle": ((X(), TIDY), lambda b: b.insert_before(B, X()), "x,a,x,b"),
    "before a bundle": ((X(n=1), TIDY), lambda b: b.insert_before(TIDY, X()), "x{n=1},x,a,b"),
    "after a bundle": ((X(n=1), TIDY), lambda b: b.insert_after("tidy", X()), "x{n=1},a,b,x"),
    "several": ((A(), B()), lambda b: b.insert_after(A, X(), X(n=1)), "a,x,x{n=1},b"),
    "before a nested pipeline": ((NEST,), lambda b: b.insert_before(A, OnModule()), "on-module,func.func(a,b)"),
    "after a nested pipeline": ((NEST,), lambda b: b.insert_after(B, OnModule()), "func.func(a,b),on-module"),
    "without": (SEVERAL, lambda b: b.remove(A), "b,b"),
}  # fmt: skip


@pytest.mark.parametrize(("items", "edit", "expected"), EDITS.values(), ids=EDITS)
def test_edits(
    items: tuple[object, ...], edit: Callable[[PipelineBuilder], object], expected: str
) -> None:
    """By default, passes go before the first match or after the last match."""
    builder = made(*items)
    edit(builder)
    assert str(builder) == f"builtin.module({expected})"


def test_insertion_does_not_split() -> None:
    """The builder does not split nested pipelines."""
    builder = made(NEST)
    with pytest.raises(InsertionError, match="would split the nested pipeline: use another target"):
        builder.insert_before(B, OnModule())
    assert str(builder) == "builtin.module(func.func(a,b))"


def test_stages() -> None:
    """Passes are added to a stage, and inserted before and after it, also while it is empty."""
    builder = PipelineBuilder()
    builder.add(B())
    middle = builder.stage("middle", A())
    end = builder.stage("end")
    builder.insert_after(middle, X(n=2))
    builder.insert_after(end, X(n=4))
    builder.insert_before(end, X(n=3))
    builder.add(X(n=1), stage="middle")
    builder.add(B(), stage="end")
    assert str(builder) == "builtin.module(b,a,x{n=1},x{n=2},x{n=3},b,x{n=4})"
    assert builder.find("middle") == (*builder.find("a"), builder.find("x")[0])


def test_handles_of_several_passes() -> None:
    """The handle of several passes finds and removes all of them."""
    builder = PipelineBuilder()
    builder.add("symbol-dce")
    tidy = builder.add("canonicalize,cse")
    assert tidy.labels == ("canonicalize", "cse")
    builder.insert_before(tidy, "sccp")
    builder.insert_after(tidy, "inline")
    assert str(builder) == "builtin.module(symbol-dce,sccp,canonicalize,cse,inline)"
    late = builder.place("func.func(cse)", "canonicalize")
    assert {step.label for step in builder.find(late)} == {"cse#2", "canonicalize#2"}
    builder.remove(late)
    builder.remove(tidy)
    assert "cse" not in builder


def test_rejected_changes_invalidate_nothing() -> None:
    """Steps, handles and views stay valid after a rejected change, which uses no labels."""
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
        before = snapshot(builder)
        with pytest.raises(PipelineError):
            refused()
        assert snapshot(builder) == before
    builder.insert_before("a", X())
    builder.insert_after(step, B())
    builder.insert_before(handle, OnFunc())
    nested.add(OnFunc())
    assert str(builder) == "builtin.module(x,a,b,b,func.func(on-func,on-func,on-func))"
    assert [each.label for each in builder.find("x")] == ["x"]


# -- Wrong calls ------------------------------------------------------------------------------


Call = Any  # calls pass arguments of wrong types
OCCURRENCE = "occurrence must be 'first', 'last' or 'all'"
TARGET = "a target must be a pass class, a name, "
GONE = "the nested pipeline '{}' no longer exists"
MISSPELT = "there is no pass of type 'bufferisation'; did you mean 'bufferization'?"
STEP = made(A()).find("a")[0]
ADD = partial(PipelineBuilder.add, stage="")
WRONG: list[tuple[Callable[[Call], object], type[Exception], str]] = [
    (lambda b: b.insert_before("a", B(), occurrence="frist"), ValueError, OCCURRENCE),
    (lambda b: b.insert_before(3, B()), TypeError, TARGET),
    (lambda b: b.insert_before(A(), B()), TypeError, TARGET),
    (lambda b: int in b, TypeError, TARGET),
    (lambda b: b.find(["a"]), TypeError, TARGET),
    (lambda b: b.constrain(["a"], after_any("a")), TypeError, TARGET),
    (lambda _: after_any(("a",)), TypeError, TARGET),  # pyright: ignore[reportArgumentType]
    (lambda b: b.insert_before("aa", B()), InsertionError, "'aa' is not in the pipeline; did you mean 'a'"),
    (lambda b: b.insert_after(LOWERING, B()), InsertionError, "there is no pass of type 'lowering': add one, or declare"),
    (lambda b: b.insert_before(A, OnFunc()), AnchorError, "did you intend to nest"),
    (lambda b: b.insert_before(STEP, B()), InsertionError, "'a' is not in the pipeline"),
    (lambda b: b.add(X(), stage="a"), InsertionError, "stage 'a' is not in the pipeline, which has 'codegen'"),
    (lambda b: b.add(X(), stage="codgen"), InsertionError, "stage 'codgen' is not in the pipeline; did you mean 'codegen'?"),
    (lambda b: b.insert_before(Bundle("tydy", B()), X()), InsertionError, "bundle 'tydy' is not in the pipeline; did you mean 'tidy'?"),
    (lambda b: b.insert_after(PassType("bufferisation"), A()), InsertionError, MISSPELT),
    (lambda b: b.constrain("a", after_any(PassType("bufferisation"))), InsertionError, MISSPELT),
    (lambda _: Bundle("tidy", A(), types=CLEANUP), DefinitionError, "types of bundle 'tidy' must be a tuple; write (PassType("),  # pyright: ignore[reportArgumentType]
    (lambda _: type("Tidy", (Pass,), {"name": "tidy", "types": "cleanup"}), DefinitionError, "types of Tidy must be"),
    (lambda _: DeclarationTable().declare("cse", types=CLEANUP), DefinitionError, "types of DeclarationTable must be"),  # pyright: ignore[reportArgumentType]
    (lambda _: type("Tidy", (Pass,), {"name": "tidy", "constraints": after_any("b")}), DefinitionError, "constraints of Tidy must be a tuple; write (Constraint("),
    (lambda _: Bundle("tidy", A(), constraints=after_any("b")), DefinitionError, "constraints of bundle 'tidy' must be"),  # pyright: ignore[reportArgumentType]
    (lambda b: b.constrain(A, after_any), DefinitionError, "; write after_any(...)"),
    (lambda b: b.extend("x"), TypeError, "an extension is a function that takes a builder, not 'x'"),
    (lambda b: b.extend(ADD, ADD), InsertionError, "two extensions have the name 'functools.partial'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
def test_invalid_calls(call: Callable[[Call], object], kind: type[Exception], message: str) -> None:
    """The error names the argument and the way out, and the builder is unchanged."""
    builder = PipelineBuilder()
    builder.add(A())
    builder.add(Bundle("tidy", B()), Bufferize())
    builder.stage("codegen")
    before = snapshot(builder)
    with pytest.raises(kind, match=re.escape(message)):
        call(builder)
    assert snapshot(builder) == before


def test_a_step_is_a_target_of_copies() -> None:
    """In a copy, a step of the original refers to the copy's step."""
    builder = made(A())
    other = builder.copy()
    other.insert_before(builder.find("a")[0], B())
    assert str(builder) == "builtin.module(a)"
    assert str(other) == "builtin.module(b,a)"


def test_removed_nested_pipelines() -> None:
    """Adding to a removed nested pipeline is an error."""
    builder = PipelineBuilder()
    functions = builder.nest("func.func")
    blocks = functions.nest("any")
    blocks.add(A())
    builder.remove("a")
    blocks.add(A())
    builder.remove("func.func")
    for nested, name in ((functions, "func.func"), (blocks, "any")):
        for call in (nested.add, nested.place):
            with pytest.raises(InsertionError, match=GONE.format(name)):
                call(OnFunc())
        with pytest.raises(InsertionError, match=GONE.format(name)):
            nested.stage("late")
