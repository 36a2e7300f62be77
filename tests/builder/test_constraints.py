"""Constraints: where passes may stand, checked at every change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from builder_passes import A, B, Bufferize, Lower, OnFunc, OnModule, X, made, snapshot

from passel import DefinitionError, InsertionError, OpPassManager, Pass
from passel.builder import (
    BUFFERIZATION,
    LOWERING,
    Bundle,
    PipelineBuilder,
    Stage,
    after_all,
    after_any,
    before_first,
    conflicts,
    immediately_after,
    not_between,
    once,
    requires,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.builder import Constraint


class OnMemory(Pass):
    """A pass over memory."""

    name = "on-memory"
    constraints = (after_any(BUFFERIZATION), before_first(LOWERING))


def refused(builder: PipelineBuilder, change: Callable[[], object]) -> str:
    """Return why a change is refused, having seen that it changed nothing."""
    before = snapshot(builder)
    with pytest.raises(InsertionError) as error:
        change()
    assert snapshot(builder) == before
    return str(error.value)


def test_what_a_class_declares() -> None:
    """A pass is refused where its class says that it cannot stand, with the way out."""
    builder = made(A(), Bufferize(), B(), Lower())
    here = Path(os.path.relpath(__file__))
    line = (
        here.read_text("utf-8")
        .splitlines()
        .index("    constraints = (after_any(BUFFERIZATION), before_first(LOWERING))")
        + 1
    )
    assert refused(builder, lambda: builder.insert_before(A, OnMemory())) == (
        "'on-memory' must run after at least one pass of type 'bufferization' (declared by pass "
        f"'on-memory' at {here}:{line}), but 'bufferize' runs later: put 'on-memory' "
        "after it"
    )
    assert "'lower' runs earlier: put 'on-memory' before it" in refused(
        builder, lambda: builder.insert_after(Lower, OnMemory())
    )
    assert not builder.insert_after(Lower, OnMemory(), missing_ok=True)
    builder.insert_after(BUFFERIZATION, OnMemory())
    assert str(builder.build()) == "builtin.module(a,bufferize,on-memory,b,lower)"


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        (after_any("a"), "a,x a,x,a", "x,a b,x"),
        (after_all("a"), "a,x x b,x", "x,a a,x,a"),
        (before_first("a"), "x,a x b,x", "a,x a,x,a"),
        (immediately_after("a"), "a,x b,a,x,b", "a,b,x x,a b,x"),
        (not_between("a", "b"), "x,a,b a,b,x b,x,a a,x", "a,x,b a,x,a,b a,b,x,b"),
        (requires("a"), "a,x x,a", "x b,x"),
        (conflicts("a"), "x b,x", "a,x x,a"),
        (once(), "x a,x", "x,x"),
    ],
    ids=str,
)
def test_what_constraints_mean(constraint: Constraint, good: str, bad: str) -> None:
    """Each allows some pipelines and refuses others: from outside, from a class, from a bundle."""
    bundle = Bundle("x", X(), constraints=(constraint,))
    passes = {"a": A(), "b": B(), "x": X()}
    constrained = type("X", (X,), {"constraints": (constraint,)})()

    def by_class(names: list[str]) -> None:
        made(*(constrained if name == "x" else passes[name] for name in names))

    def by_bundle(names: list[str]) -> None:
        made(*(bundle if name == "x" else passes[name] for name in names))

    def from_outside(names: list[str]) -> None:
        made(*(passes[name] for name in names)).constrain("x", constraint)

    for way in (by_class, by_bundle, from_outside):
        for names in good.split():
            way(names.split(","))
        for names in bad.split():
            with pytest.raises(InsertionError, match="'x"):
                way(names.split(","))


def test_removing_and_replacing_are_checked() -> None:
    """What others rely on cannot be taken out, nor what must not be there be put in."""
    builder = made(Bufferize(), OnMemory(), Lower())
    assert "there is no pass of type" in refused(builder, lambda: builder.remove(Bufferize))
    assert "'on-memory' must run before" in refused(
        builder, lambda: builder.replace(Bufferize, Bufferize(), Lower())
    )
    builder.replace(Bufferize, A(), Bufferize())
    builder.remove(OnMemory)
    builder.remove(Bufferize)
    assert str(builder.build()) == "builtin.module(a,lower)"


def test_order_is_that_in_which_steps_run() -> None:
    """Nested pipelines make no difference."""
    builder = PipelineBuilder()
    builder.constrain(OnModule, after_any(OnFunc))
    builder.add(OpPassManager("func.func").add(OnFunc(), A()), OnModule())
    assert "but 'on-func' runs later" in refused(
        builder, lambda: builder.insert_before(OnFunc, OnModule())
    )
    builder.constrain(OnModule, immediately_after("a"))
    assert "'b' runs right before it" in refused(builder, lambda: builder.insert_after("a", B()))


def test_targets_of_constraints() -> None:
    """Bundles, stages, handles and labels can be what a constraint is about."""
    builder = PipelineBuilder()
    builder.stage("early")
    cleanup = Bundle("cleanup", A(), B())
    first = builder.add(cleanup)
    builder.constrain("x", before_first(cleanup), after_all(Stage("early")))
    builder.constrain(first, after_all("x"))
    builder.insert_before(cleanup, X())
    assert "every step of stage 'early'" in refused(
        builder, lambda: builder.add(X(), A(), stage="early")
    )
    assert "'x#2' must run before the first step of bundle 'cleanup'" in refused(
        builder, lambda: builder.add(X())
    )


def test_once_is_about_additions_of_a_bundle() -> None:
    """The members of a bundle that comes once do not conflict with each other."""
    bundle = Bundle("twins", A(), A(), constraints=(once(),))
    builder = made(bundle)
    assert "but 'a' is there as well" in refused(builder, lambda: builder.add(bundle))


def test_a_refused_constraint_is_not_in_force() -> None:
    """Constraints that were put on in a call that is refused are gone afterwards."""
    builder = made(A(), B())
    assert "declared at" in refused(
        builder, lambda: builder.constrain(A, before_first(X), after_all(B))
    )
    builder.insert_before(A, X())

    def extension(builder: PipelineBuilder) -> None:
        builder.constrain(A, before_first(B))
        builder.add(X())
        builder.insert_after("missing", X())

    assert "missing" in refused(builder, lambda: builder.extend(extension))
    builder.insert_before(A, B())


def test_what_is_no_constraint() -> None:
    """Something else in a declaration is an error that says what to write."""
    builder = PipelineBuilder()
    with pytest.raises(DefinitionError, match=r"write once\(\.\.\.\)"):
        builder.constrain(A, once)  # pyright: ignore[reportArgumentType]
