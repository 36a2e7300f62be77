"""Cleanups whose result passes should find."""

from __future__ import annotations

import re

import pytest
from builder_passes import A, B, Lower, made

from passel import AllAnalyses, InsertionError, Pass, PipelineError
from passel.builder import (
    CLEANUP,
    LOWERING,
    Bundle,
    PipelineBuilder,
    after_all,
    before_first,
    preceded_by,
)


class Canonical(Pass):
    """A cleanup."""

    name = "canonical"
    constraints = (before_first(LOWERING),)


class Look(Pass):
    """A pass that only looks at the IR."""

    name = "look"
    preserves = (AllAnalyses,)


class NeedsCanon(Pass):
    """A pass that wants canonical IR."""

    name = "needs-canon"
    constraints = (preceded_by(Canonical),)


def report(builder: PipelineBuilder) -> list[str]:
    """Return what building has done, without places."""
    return [re.sub(r" at \S+:\d+", "", str(remark)) for remark in builder.report()]


def test_alone_it_gets_what_it_needs() -> None:
    """A pass that is added alone is preceded by its cleanup, and the report says so."""
    builder = made(A(), NeedsCanon())
    assert str(builder.build()) == "builtin.module(a,canonical,needs-canon)"
    assert report(builder) == [
        (
            "inserted: 'canonical', since 'needs-canon' should find what some 'canonical' leaves "
            "(declared by pass 'needs-canon')"
        )
    ]


def test_what_is_put_between_makes_another_one_necessary() -> None:
    """Passes may be put between: what changes the IR is cleaned up after, what looks is not."""
    builder = made(Canonical(), NeedsCanon())
    builder.insert_before(NeedsCanon, Look())
    assert str(builder.build()) == "builtin.module(canonical,look,needs-canon)"
    builder.insert_before(NeedsCanon, A())
    assert str(builder.build()) == "builtin.module(canonical,look,a,canonical,needs-canon)"


def test_each_gets_its_own() -> None:
    """The second one finds what the first one leaves, which is not canonical."""
    builder = made(NeedsCanon(), NeedsCanon(), B())
    assert str(builder.build()) == ("builtin.module(canonical,needs-canon,canonical,needs-canon,b)")


def test_there_is_no_place_for_it() -> None:
    """A warning says so, and nothing is inserted."""
    builder = made(Lower(), NeedsCanon())
    assert str(builder.build()) == "builtin.module(lower,needs-canon)"
    (warning,) = report(builder)
    assert warning.endswith("and is not: no place before it keeps the other constraints")


def test_inside_of_a_bundle_it_is_put_before_the_bundle() -> None:
    """Nothing is put into a bundle that stays together."""
    builder = made(A(), Bundle("block", NeedsCanon(), B(), together=True))
    assert str(builder.build()) == "builtin.module(a,canonical,needs-canon,b)"
    builder = made(A(), Bundle("block", B(), NeedsCanon(), together=True))
    assert str(builder.build()) == "builtin.module(a,b,needs-canon)"
    assert report(builder)[0].startswith("warning: 'needs-canon' should find")


def test_a_type_is_never_inserted() -> None:
    """Which pass of a type it should be is not known."""
    builder = made(A())
    builder.constrain("a", preceded_by(CLEANUP))
    assert str(builder.build()) == "builtin.module(a)"
    assert report(builder)[0].endswith("and is not: add one")


def test_a_refused_change_is_taken_back() -> None:
    """Labels, places, conditions and constraints are as they were after each kind of refusal."""
    builder = made(A(), B(), Lower())
    builder.constrain("a", before_first("b"), after_all("nothing"))
    before = builder.draw(), [step.label for step in builder.steps()]
    with pytest.raises(InsertionError):
        builder.insert_after("b", B(), A())
    with pytest.raises(InsertionError):
        builder.replace(Lower, "cse", A())
    with pytest.raises(PipelineError):
        builder.add("cse", "func.func(canonicalize,nothing-of-the-kind)")
    with pytest.raises(InsertionError):
        builder.extend(lambda one: one.remove("b") or one.insert_before("absent", "cse"))
    assert (builder.draw(), [step.label for step in builder.steps()]) == before
    assert builder.add(B()).labels == ("b#2",)
    assert builder.add("cse").labels == ("cse",)
