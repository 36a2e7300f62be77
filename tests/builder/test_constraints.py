"""Constraints on the order of passes, and the positions of placed passes."""

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
    """Return the message of a rejected change, which leaves the builder unchanged."""
    before = snapshot(builder)
    with pytest.raises(InsertionError) as error:
        change()
    assert snapshot(builder) == before
    return str(error.value)


def test_constraints_of_classes() -> None:
    """The builder rejects a pass at a position that its class forbids, and suggests another one."""
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
    builder.insert_after(BUFFERIZATION, OnMemory())
    assert str(builder.build()) == "builtin.module(a,bufferize,on-memory,b,lower)"


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        (after_any("a"), "a,x a,x,a", "x,a b,x"),
        (after_all("a"), "a,x x b,x", "x,a a,x,a"),
        (before_first("a"), "x,a x b,x", "a,x a,x,a"),
    ],
    ids=str,
)
def test_kinds_of_constraints(constraint: Constraint, good: str, bad: str) -> None:
    """Each kind rejects the same pipelines, whether a class, a bundle or `constrain` declares it."""
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


def test_removing_is_checked() -> None:
    """The builder checks constraints after it removes a step."""
    builder = made(Bufferize(), OnMemory(), Lower())
    assert "there is no pass of type" in refused(builder, lambda: builder.remove(Bufferize))
    builder.insert_before(Bufferize, A())
    builder.remove(OnMemory)
    builder.remove(Bufferize)
    assert str(builder.build()) == "builtin.module(a,lower)"


def test_constraints_cross_nested_pipelines() -> None:
    """Constraints apply to the order of execution, across nested pipelines."""
    builder = PipelineBuilder()
    builder.constrain(OnModule, after_any(OnFunc))
    builder.add(OpPassManager("func.func").add(OnFunc(), A()), OnModule())
    assert "but 'on-func' runs later" in refused(
        builder, lambda: builder.insert_before(OnFunc, OnModule())
    )


def test_targets_of_constraints() -> None:
    """Constraints can refer to bundles, stages, handles and labels."""
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


def test_rejected_constraints_have_no_effect() -> None:
    """A rejected call leaves no constraint behind."""
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


def test_positions_of_placed_passes() -> None:
    """A placed pass runs last, or right before the passes that must follow it."""
    builder = made(A(), Bufferize(), B(), Lower(), Bundle("end", A()))
    builder.place(OnMemory())
    builder.place(OnTensors(), X())
    assert str(builder) == "builtin.module(a,on-tensors,bufferize,b,on-memory,lower,a,x)"


def test_several_in_one_call_and_bundles() -> None:
    """Constraints order passes placed by one call; the members of a bundle keep their order."""
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
    assert lines[3:] == ["remove the constraint or one of the steps"]


def test_nested_pipelines() -> None:
    """A placed pass goes into a nested pipeline if only that pipeline accepts its anchor."""
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
        "  the steps of nested pipeline 'func.func#2' must stay together",
        "remove one of the constraints or one of the steps",
    ]


def test_placed_in_a_nested_pipeline() -> None:
    """A pass placed in a nested pipeline stays in that pipeline."""
    builder = PipelineBuilder()
    with builder.nest("func.func") as funcs:
        funcs.add(A(), B())
        funcs.constrain("x", before_first("b"))
        funcs.place(X())
    builder.add(A())
    assert str(builder) == "builtin.module(func.func(a,x,b),a)"


def test_broken_pipelines_can_change() -> None:
    """Constraints that were broken before a change do not prevent the change."""
    wrong = PassManager("builtin.module").add(Lower(), OnMemory())
    builder = PipelineBuilder.from_manager(wrong)
    builder.add(A())
    builder.insert_before(OnMemory, Bufferize())
    with pytest.raises(InsertionError, match="'on-memory#2' must run after at least one pass of"):
        builder.insert_before(Lower, OnMemory())
    assert str(builder) == "builtin.module(lower,bufferize,on-memory,a)"
    builder.remove(Lower)
    assert str(builder.build()) == "builtin.module(bufferize,on-memory,a)"


def test_contradictions() -> None:
    """The error lists exactly the contradictory constraints, with their authors."""

    def one(builder: PipelineBuilder) -> None:
        builder.constrain(OnMemory, after_any(A), after_all(LOWERING))

    builder = made(A(), Bufferize(), B(), Lower())
    builder.extend(one)
    with pytest.raises(InsertionError) as error:
        builder.place(OnMemory())
    assert set(message(error.value)[1:3]) == {
        "  'on-memory' must run before the first pass of type 'lowering' (declared by pass 'on-memory')",
        (
            "  'on-memory' must run after every pass of type 'lowering' (declared by extension "
            "'tests.builder.test_constraints.test_contradictions.<locals>.one')"
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
def test_placing_finds_a_valid_position(there: list[Any], wished: list[tuple[Any, Any]]) -> None:
    """The builder rejects a placed pass if and only if every position is invalid."""
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
    """An explanation names the author, the neighbours and the constraints of a step."""

    def vendor(builder: PipelineBuilder) -> None:
        builder.place(OnMemory())

    builder = made(A(), Bufferize(), Lower()).extend(vendor)
    builder.insert_before(Lower, X(), occurrence="first")
    explained = builder.explain(OnMemory)
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
