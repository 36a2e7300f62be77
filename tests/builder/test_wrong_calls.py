"""Invalid calls of a builder are rejected, with a way out."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from builder_passes import A, B, Bufferize, OnFunc, X, made, snapshot

from passel import (
    AnchorError,
    DefinitionError,
    InsertionError,
    Pass,
)
from passel.builder import (
    CLEANUP,
    LOWERING,
    Bundle,
    DeclarationTable,
    PassType,
    PipelineBuilder,
    after_any,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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
