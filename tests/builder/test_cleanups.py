"""Cleanups that passes should be followed or preceded by."""

from __future__ import annotations

import re

from builder_passes import A, B, Bufferize, Lower, OnFunc, X, made

from passel import AllAnalyses, OpPassManager, Pass
from passel.builder import (
    CLEANUP,
    LOWERING,
    Bundle,
    PipelineBuilder,
    before_first,
    followed_by,
    preceded_by,
)

TIDY = Bundle("tidy", X(n=1), X(n=2), constraints=(before_first(LOWERING),))


class Messy(Pass):
    """A pass that leaves something behind."""

    name = "messy"
    constraints = (followed_by(TIDY),)


def report(builder: PipelineBuilder) -> list[str]:
    """Return what building has done, without places."""
    return [re.sub(r" at \S+:\d+", "", str(remark)) for remark in builder.report()]


def test_what_is_there_will_do() -> None:
    """Nothing is inserted if it runs later anyway, not necessarily at once."""
    builder = made(Messy(), A(), TIDY, B())
    assert str(builder.build()) == "builtin.module(messy,a,x{n=1},x{n=2},b)"
    assert report(builder) == []


def test_it_is_inserted_as_late_as_other_constraints_allow() -> None:
    """One cleanup does for several passes, and comes before what must not be cleaned."""
    builder = made(Messy(), A(), Messy(), B(), Lower(), A())
    assert str(builder.build()) == "builtin.module(messy,a,messy,b,x{n=1},x{n=2},lower,a)"
    assert report(builder) == [
        (
            "inserted: 'x', 'x#2', since 'messy' should be followed by some step of bundle "
            "'tidy' (declared by pass 'messy')"
        )
    ]
    assert str(builder) == "builtin.module(messy,a,messy,b,lower,a)"


def test_there_is_no_place_for_it() -> None:
    """A warning says so; what comes before is cleaned up nevertheless."""
    builder = made(Messy(), Lower(), Messy())
    assert str(builder.build()) == "builtin.module(messy,x{n=1},x{n=2},lower,messy)"
    inserted, warning = report(builder)
    assert warning == (
        "warning: 'messy#2' should be followed by some step of bundle 'tidy' (declared by pass "
        "'messy'), and is not: no place after it keeps the other constraints"
    )
    assert inserted.startswith("inserted: 'x', 'x#2', since 'messy' should")


def test_a_type_is_never_inserted() -> None:
    """Which pass of a type it should be is not known."""
    builder = made(A())
    builder.constrain(A, followed_by(CLEANUP))
    assert str(builder.build()) == "builtin.module(a)"
    assert report(builder) == [
        (
            "warning: 'a' should be followed by some pass of type 'cleanup' (declared), and is not: "
            "add one"
        )
    ]


def test_it_goes_where_it_can_be() -> None:
    """A pass for functions cleans up in the nested pipeline, one for any op right after it."""
    builder = made(OpPassManager("func.func").add(A(), B()), Lower(), B())
    builder.constrain(A, followed_by(OnFunc), followed_by("canonicalize"))
    assert str(builder.build()) == ("builtin.module(func.func(a,b,on-func),canonicalize,lower,b)")


def test_it_comes_before_the_next_pass_of_another_type() -> None:
    """Each part of a pipeline is cleaned up by itself, once."""
    builder = made(Messy(), A(), Messy(), B(), Bufferize(), Messy(), Bufferize())
    builder.constrain(Messy, followed_by("canonicalize"))
    assert str(builder.build()) == (
        "builtin.module(messy,a,messy,b,x{n=1},x{n=2},canonicalize,bufferize,"
        "messy,x{n=1},x{n=2},canonicalize,bufferize)"
    )


# -- Before a pass ------------------------------------------------------------------------------


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


def test_there_is_no_place_before_it() -> None:
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
