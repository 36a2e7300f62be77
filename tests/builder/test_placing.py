"""Where placed steps go, what they may not break, and what is said about it."""

from __future__ import annotations

import re

import pytest
from builder_passes import A, B, Bufferize, Lower, OnFunc, OnModule, X, made, snapshot

from passel import AnchorError, InsertionError, OpPassManager, Pass, PassManager
from passel.builder import (
    BUFFERIZATION,
    LOWERING,
    Bundle,
    PipelineBuilder,
    after_all,
    after_any,
    before_first,
    immediately_after,
    not_between,
    requires,
)


class OnTensors(Pass):
    """A pass before bufferization."""

    name = "on-tensors"
    constraints = (before_first(BUFFERIZATION),)


class OnMemory(Pass):
    """A pass after bufferization and before lowering."""

    name = "on-memory"
    constraints = (after_any(BUFFERIZATION), before_first(LOWERING))


def message(error: object) -> list[str]:
    """Return the lines of a message, without places."""
    without = re.sub(r" \(\S+:\d+\)", "", str(error))
    return re.sub(r" at \S+:\d+", "", without).splitlines()


def test_as_early_as_it_can_or_right_before() -> None:
    """After what it needs at once, or right before what needs it, or last."""
    builder = made(A(), Bufferize(), B(), Lower(), Bundle("end", A()))
    builder.place(OnMemory())
    builder.place(OnTensors(), X())
    assert str(builder) == ("builtin.module(a,on-tensors,bufferize,on-memory,b,lower,a,x)")


def test_the_order_of_calls_and_names_decides_nothing() -> None:
    """Of several that will do, the same is taken; a bundle's members keep their own order."""
    either = [Bundle("either", each, types=(BUFFERIZATION,)) for each in (B(), X())]
    for bundles in (either, either[::-1]):
        builder = PipelineBuilder()
        builder.constrain(A, after_any(BUFFERIZATION))
        builder.place(A(), *bundles)
        assert str(builder) == "builtin.module(b,a,x)"
    builder.place(Bundle("backwards", Lower(), Bufferize()))
    assert str(builder) == "builtin.module(b,a,lower,bufferize,x)"


def test_all_are_placed_anew() -> None:
    """What is added explicitly moves what was placed."""
    builder = PipelineBuilder()
    builder.place(OnMemory(), X())
    assert str(builder) == "builtin.module(on-memory,x)"
    with pytest.raises(InsertionError, match="no pass of type 'bufferization'"):
        builder.build()
    builder.add(A(), Bufferize(), Lower())
    assert str(builder.build()) == "builtin.module(a,bufferize,on-memory,lower,x)"
    builder.insert_after(A, Bufferize())
    assert str(builder.build()) == "builtin.module(a,bufferize,on-memory,bufferize,lower,x)"
    assert str(builder.copy().build()) == str(builder.build())


def test_what_something_is_put_next_to_stays() -> None:
    """A placed step that another one was put next to is no longer moved."""
    builder = made(A(), Bufferize(), Lower())
    memory = builder.place(OnMemory())
    builder.insert_after(memory, B())
    builder.insert_before(BUFFERIZATION, Bufferize())
    assert str(builder) == "builtin.module(a,bufferize,bufferize,on-memory,b,lower)"


def test_nested_pipelines() -> None:
    """A placed step goes into a nested pipeline if it can stand nowhere else."""
    builder = made(OpPassManager("func.func").add(A()), OpPassManager("func.func").add(B(), A()))
    builder.constrain(OnFunc, after_all(B))
    builder.constrain(X, after_all("b"), before_first("a#2"))
    builder.place(OnFunc(), X())
    assert str(builder) == "builtin.module(func.func(a),func.func(b,on-func,x,a))"
    with pytest.raises(AnchorError, match="did you intend to nest"):
        PipelineBuilder().place(OnFunc())
    builder.constrain(OnModule, after_all(B), before_first("a#2"))
    before = snapshot(builder)
    with pytest.raises(InsertionError) as error:
        builder.place(OnModule())
    assert snapshot(builder) == before
    assert message(error.value) == [
        "there is no order that fulfils all of these:",
        "  'on-module' must run after every 'b' (declared)",
        "  'on-module' must run before the first 'a#2' (declared)",
        "  nested pipeline 'func.func#2' stays in one piece",
        "drop one of the constraints or leave out one of the steps",
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


def test_stages_and_bundles_stay_as_they_are() -> None:
    """Arranging does not reorder stages, nor members of bundles; it does reorder inside stages."""
    builder = PipelineBuilder()
    builder.stage("one")
    builder.stage("two")
    builder.add(A(), B(), stage="two")
    builder.add(X(), stage="one")
    tight = Bundle("tight", X(n=1), X(n=2), together=True)
    builder.constrain(Lower, before_first("tight"))
    builder.arrange(tight, Bundle("loose", X(n=3), X(n=4)), Lower())
    assert str(builder) == "builtin.module(x,a,b,x{n=3},x{n=4},lower,x{n=1},x{n=2})"
    with pytest.raises(InsertionError) as error:
        builder.constrain("a", after_all("b"), before_first("x"))
    assert message(error.value) == [
        "'a' must run after every 'b' (declared), but 'b' runs later: put 'a' after that"
    ]
    with pytest.raises(InsertionError) as error:
        builder.constrain("x#4", after_all("x#5"))
    with pytest.raises(InsertionError, match="'x' must run after every 'b'"):
        builder.constrain("x", after_all("b"))


def test_arranging_what_was_built_elsewhere() -> None:
    """A pipeline that breaks constraints is taken as it is, refused when built, and arranged."""
    wrong = PassManager("builtin.module").add(Lower(), Bufferize(), OnMemory())
    builder = PipelineBuilder.from_manager(wrong)
    with pytest.raises(InsertionError, match="'lower' runs earlier"):
        builder.build()
    builder.arrange()
    assert str(builder.build()) == "builtin.module(bufferize,on-memory,lower)"


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


def test_neighbours_are_checked() -> None:
    """What has to stand right after another step, or not between two, is refused elsewhere."""
    builder = made(A(), B(), A(), Lower())
    builder.constrain("x", immediately_after("a"), not_between("a", "b"))
    with pytest.raises(InsertionError) as error:
        builder.place(X())
    (line,) = message(error.value)
    assert line.startswith("'x' must not run between any 'a' and a later 'b' (declared), but it")
    assert line.endswith("runs after 'a' and before 'b': put it before 'a' or after 'b'")
    builder.insert_after("a", X())
    assert str(builder) == "builtin.module(a,b,a,x,lower)"


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
            "'tests.builder.test_placing.test_a_contradiction_is_named.<locals>.one')"
        ),
    }
    assert str(builder) == "builtin.module(a,bufferize,b,lower)"


def test_explicit_order_is_part_of_an_explanation() -> None:
    """What was added explicitly keeps its order; the error says so, and that it can be arranged."""
    builder = made(A(), B())
    builder.constrain(X, after_all(B), before_first(A))
    with pytest.raises(InsertionError) as error:
        builder.place(X())
    assert message(error.value) == [
        "there is no order that fulfils all of these:",
        "  'x' must run after every 'b' (declared)",
        "  'x' must run before the first 'a' (declared)",
        "  'a' before 'b', since they were added explicitly in this order",
        (
            "drop one of the constraints, change the order of what was added explicitly, as arrange() "
            "may, or leave out one of the steps"
        ),
    ]
    builder.arrange(X())
    assert str(builder) == "builtin.module(b,x,a)"


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
            "'on-memory' was placed by extension "
            "'tests.builder.test_placing.test_explain.<locals>.vendor'"
        ),
        "  it runs right after 'bufferize' and right before 'x'",
        "  it must run after at least one pass of type 'bufferization' (declared by pass 'on-memory')",
        "  it must run before the first pass of type 'lowering' (declared by pass 'on-memory')",
    ]
    assert message(builder.explain(LOWERING))[1:] == [
        "  it runs right after 'x'",
        "  'on-memory' must run before the first pass of type 'lowering' (declared by pass 'on-memory')",
    ]
    assert "  it was put before pass 'lower'" in message(builder.explain("x"))
