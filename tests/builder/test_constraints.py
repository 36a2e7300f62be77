"""Constraints: where passes may go, checked at every change, and where placed passes go."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pytest
from builder_passes import A, B, Bufferize, Lower, OnFunc, OnModule, X, made, snapshot
from hypothesis import given
from hypothesis import strategies as st

from passel import AnchorError, InsertionError, OpPassManager, Pass, PassManager
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


class OnTensors(Pass):
    """A pass before bufferization."""

    name = "on-tensors"
    constraints = (before_first(BUFFERIZATION),)


class OnMemory(Pass):
    """A pass after bufferization and before lowering."""

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
    assert re.fullmatch(
        "'on-memory' must run after at least one pass of type 'bufferization' .declared by pass "
        rf"'on-memory' at {os.path.relpath(__file__)}:\d+., but 'bufferize' runs later: put "
        "'on-memory' after it",
        refused(builder, lambda: builder.insert_before(A, OnMemory())),
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
    assert "but 'a' is also in the pipeline" in refused(builder, lambda: builder.add(bundle))


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


# -- Placed passes ---------------------------------------------------------------------------


def message(error: object) -> list[str]:
    """Return the lines of a message, without places."""
    without = re.sub(r" \(\S+:\d+\)", "", str(error))
    return re.sub(r" at \S+:\d+", "", without).splitlines()


def test_last_or_right_before() -> None:
    """A placed pass stands last, or right before what has to run after it."""
    builder = made(A(), Bufferize(), B(), Lower(), Bundle("end", A()))
    builder.place(OnMemory())
    builder.place(OnTensors(), X())
    assert str(builder) == "builtin.module(a,on-tensors,bufferize,b,on-memory,lower,a,x)"


def test_several_in_one_call_and_bundles() -> None:
    """They are ordered among each other; a bundle's members keep their own order."""
    builder = PipelineBuilder()
    builder.constrain(A, after_any(BUFFERIZATION))
    builder.place(A(), Bundle("either", B(), X(), types=(BUFFERIZATION,)))
    assert str(builder) == "builtin.module(b,a,x)"
    builder.place(Bundle("backwards", Lower(), Bufferize()))
    assert str(builder) == "builtin.module(b,a,x,lower,bufferize)"
    builder = PipelineBuilder()
    builder.constrain(Bufferize, before_first(Lower))
    with pytest.raises(InsertionError) as error:
        builder.place(Bundle("backwards", Lower(), Bufferize()))
    lines = message(error.value)
    assert set(lines[1:3]) == {
        "  bundle 'backwards' has 'lower' before 'bufferize'",
        "  'bufferize' must run before the first 'lower' (declared)",
    }
    assert lines[3:] == ["drop the constraint or remove one of the steps"]


def test_nested_pipelines() -> None:
    """A placed step goes into a nested pipeline if it can stand nowhere else."""
    builder = made(OpPassManager("func.func").add(A()), OpPassManager("func.func").add(B(), A()))
    builder.constrain(OnFunc, after_all(B))
    builder.constrain(OnFunc, before_first("a#2"))
    builder.remove(A, occurrence="first")
    builder.remove("func.func")
    builder.place(OnFunc())
    assert str(builder) == "builtin.module(func.func(b,on-func,a))"
    with pytest.raises(AnchorError, match="did you intend to nest"):
        PipelineBuilder().place(OnFunc())
    builder.constrain(OnModule, after_all(B), before_first("a#2"))
    before = snapshot(builder)
    with pytest.raises(InsertionError) as error:
        builder.place(OnModule())
    assert snapshot(builder) == before
    assert message(error.value) == [
        "no order satisfies all of these constraints:",
        "  'on-module' must run after every 'b' (declared)",
        "  'on-module' must run before the first 'a#2' (declared)",
        "  nested pipeline 'func.func#2' must stay together",
        "drop one of the constraints or remove one of the steps",
    ]


def test_placed_in_a_nested_pipeline() -> None:
    """What is placed in a nested pipeline stays in there."""
    builder = PipelineBuilder()
    with builder.nest("func.func") as funcs:
        funcs.add(A(), B())
        funcs.constrain("x", before_first("b"))
        funcs.place(X())
    builder.add(A())
    assert str(builder) == "builtin.module(func.func(a,x,b),a)"


def test_what_was_broken_elsewhere_stays_editable() -> None:
    """A change is refused for what it breaks, not for what was broken before it."""
    wrong = PassManager("builtin.module").add(Lower(), OnMemory())
    builder = PipelineBuilder.from_manager(wrong)
    builder.add(A())
    builder.insert_before(OnMemory, Bufferize())
    with pytest.raises(InsertionError, match="'on-memory#2' must run after at least one pass of"):
        builder.insert_before(Lower, OnMemory())
    assert str(builder) == "builtin.module(lower,bufferize,on-memory,a)"
    builder.remove(Lower)
    assert str(builder.build()) == "builtin.module(bufferize,on-memory,a)"


def test_a_contradiction_is_named() -> None:
    """All that takes part is named, with who has declared it, and nothing else is."""

    def one(builder: PipelineBuilder) -> None:
        builder.constrain(OnMemory, requires(A), after_all(LOWERING))

    builder = made(A(), Bufferize(), B(), Lower())
    builder.extend(one)
    with pytest.raises(InsertionError) as error:
        builder.place(OnMemory())
    assert [str(rule.constraint) for rule in error.value.rules] == [
        "must run after every pass of type 'lowering'",
        "must run before the first pass of type 'lowering'",
    ]
    assert set(message(error.value)[1:3]) == {
        "  'on-memory' must run before the first pass of type 'lowering' (declared by pass 'on-memory')",
        (
            "  'on-memory' must run after every pass of type 'lowering' (declared by extension "
            "'tests.builder.test_constraints.test_a_contradiction_is_named.<locals>.one')"
        ),
    }
    assert str(builder) == "builtin.module(a,bufferize,b,lower)"


@given(
    st.lists(st.sampled_from([A, B, Lower]), max_size=4),
    st.lists(
        st.tuples(st.sampled_from([after_all, before_first]), st.sampled_from([A, B, Lower])),
        max_size=4,
    ),
)
def test_there_is_a_place_exactly_if_one_of_all_is_right(
    there: list[Any], wished: list[tuple[Any, Any]]
) -> None:
    """A placed pass is refused if every place among those that keep their order is wrong."""
    builder = made(*(each() for each in there))
    builder.constrain(X, *(constraint(target) for constraint, target in wished))
    after = {target for constraint, target in wished if constraint is after_all}
    before = {target for constraint, target in wished if constraint is before_first}
    lowest = max((i + 1 for i, each in enumerate(there) if each in after), default=0)
    highest = min((i for i, each in enumerate(there) if each in before), default=len(there))
    if lowest > highest:
        with pytest.raises(InsertionError, match="no order satisfies"):
            builder.place(X())
        return
    builder.place(X())
    names = [each.name for each in there]
    names.insert(highest, "x")
    assert [step.pass_.name for step in builder.steps()] == names


def test_explain() -> None:
    """Who has put a step where it stands, next to what, and by which constraints."""

    def vendor(builder: PipelineBuilder) -> None:
        builder.place(OnMemory())

    builder = made(A(), Bufferize(), Lower()).extend(vendor)
    builder.insert_before(Lower, X(), occurrence="first")
    explained = builder.explain(OnMemory)
    assert explained.label == "on-memory"
    assert message(explained) == [
        (
            "'on-memory' was added by extension "
            "'tests.builder.test_constraints.test_explain.<locals>.vendor'"
        ),
        "  it runs right after 'bufferize' and right before 'x'",
        "  it must run after at least one pass of type 'bufferization' (declared by pass 'on-memory')",
        "  it must run before the first pass of type 'lowering' (declared by pass 'on-memory')",
    ]
    assert message(builder.explain(LOWERING))[1:] == [
        "  it runs right after 'x'",
        "  'on-memory' must run before the first pass of type 'lowering' (declared by pass 'on-memory')",
    ]
    assert "  it was inserted before 'lower'" in message(builder.explain("x"))
