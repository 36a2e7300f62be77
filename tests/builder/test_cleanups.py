"""Cleanups that passes should be followed or preceded by."""

from __future__ import annotations

import re

import pytest
from builder_passes import A, B, Bufferize, Lower, OnFunc, X, made

from passel import AllAnalyses, OpPassManager, Pass
from passel.builder import (
    CLEANUP,
    LOWERING,
    Bundle,
    Constraint,
    before_first,
    followed_by,
    preceded_by,
)

TIDY = Bundle("tidy", X(n=1), X(n=2), constraints=(before_first(LOWERING),))


class Messy(Pass):
    """A pass that leaves something behind."""

    name = "messy"
    constraints = (followed_by(TIDY),)


class Canonical(Pass):
    """A cleanup."""

    name = "canonical"
    constraints = (before_first(LOWERING),)


class Look(Pass):
    """A pass that only looks at the IR."""

    name = "look"
    preserves = (AllAnalyses,)


class Needs(Pass):
    """A pass that wants canonical IR."""

    name = "needs"
    constraints = (preceded_by(Canonical),)


FUNCTIONS = OpPassManager("func.func").add(A(), B())
TIDIES = "'{}' should be followed by a step of bundle 'tidy' (declared by pass 'messy')"
FINDS = "'needs' should be preceded by a 'canonical' (declared by pass 'needs')"
MESSY = "inserted: 'x', 'x#2', since " + TIDIES.format("messy")
NEEDS = f"inserted: 'canonical', since {FINDS}"
ON_A = "'a' should be followed by a {} (declared)"
NO_PLACE = "warning: {}, but is not: no position {} it satisfies the other constraints"

CASES: dict[str, tuple[list[object], list[Constraint], str, list[str]]] = {
    "what is there will do, not at once": ([Messy(), A(), TIDY, B()], [], "messy,a,x{n=1},x{n=2},b", []),
    "as late as other constraints allow, for several": (
        [Messy(), A(), Messy(), B(), Lower(), A()], [], "messy,a,messy,b,x{n=1},x{n=2},lower,a", [MESSY],
    ),
    "no place for it": (
        [Messy(), Lower(), Messy()], [], "messy,x{n=1},x{n=2},lower,messy",
        [MESSY, NO_PLACE.format(TIDIES.format("messy#2"), "after")],
    ),
    "a type is never inserted": (
        [A()], [followed_by(CLEANUP)], "a",
        ["warning: " + ON_A.format("pass of type 'cleanup'") + ", but is not: add one"],
    ),
    "in the nested pipeline, or right after it": (
        [FUNCTIONS, Lower(), B()], [followed_by(OnFunc), followed_by("canonicalize")],
        "func.func(a,b,on-func),canonicalize,lower,b",
        ["inserted: 'canonicalize', since " + ON_A.format("'canonicalize'"), "inserted: 'on-func', since " + ON_A.format("'on-func'")],
    ),
    "before the next pass of another type": (
        [Messy(), A(), Messy(), B(), Bufferize(), Messy(), Bufferize()], [],
        "messy,a,messy,b,x{n=1},x{n=2},bufferize,messy,x{n=1},x{n=2},bufferize",
        [MESSY, "inserted: 'x#3', 'x#4', since " + TIDIES.format("messy#3")],
    ),
    "right before": ([A(), Needs()], [], "a,canonical,needs", [NEEDS]),
    "a look may stand between": ([Canonical(), Look(), Needs()], [], "canonical,look,needs", []),
    "another pass may not": (
        [Canonical(), Look(), A(), Needs()], [], "canonical,look,a,canonical,needs",
        [NEEDS.replace("'canonical',", "'canonical#2',")],
    ),
    "each gets its own": (
        [Needs(), Needs(), B()], [], "canonical,needs,canonical,needs,b",
        [NEEDS, NEEDS.replace("'canonical',", "'canonical#2',").replace("'needs' should", "'needs#2' should")],
    ),
    "no place before it": ([Lower(), Needs()], [], "lower,needs", [NO_PLACE.format(FINDS, "before")]),
    "before a bundle that stays together": (
        [A(), Bundle("block", Needs(), B(), together=True)], [], "a,canonical,needs,b", [NEEDS],
    ),
    "but not in it": (
        [A(), Bundle("block", B(), Needs(), together=True)], [], "a,b,needs",
        [NO_PLACE.format(FINDS, "before")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("items", "on_a", "expected", "report"), CASES.values(), ids=CASES)
def test_cleanups_are_inserted_where_they_lack(
    items: list[object], on_a: list[Constraint], expected: str, report: list[str]
) -> None:
    """Once for all that want them, at the best place that is allowed; the report says so."""
    builder = made(*items)
    builder.constrain(A, *on_a)
    before = str(builder)
    assert str(builder.build()) == f"builtin.module({expected})"
    said = [re.sub(r" at \S+:\d+", "", str(remark)) for remark in builder.report()]
    assert said == report
    assert str(builder) == before
