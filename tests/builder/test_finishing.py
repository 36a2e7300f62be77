"""Building inserts missing cleanups and drops redundant passes."""

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
    DeclarationTable,
    PipelineBuilder,
    before_first,
    followed_by,
    preceded_by,
)

TIDY = Bundle("tidy", X(n=1), X(n=2), constraints=(before_first(LOWERING),))


class Messy(Pass):
    """A pass that needs a cleanup after it."""

    name = "messy"
    constraints = (followed_by(TIDY),)


class Canonical(Pass):
    """A cleanup."""

    name = "canonical"
    constraints = (before_first(LOWERING),)


class Look(Pass):
    """A pass that only reads the IR."""

    name = "look"
    idempotent = True
    preserves = (AllAnalyses,)


class Needs(Pass):
    """A pass that needs a cleanup before it."""

    name = "needs"
    constraints = (preceded_by(Canonical),)


FUNCTIONS = OpPassManager("func.func").add(A(), B())
TIDIES = "'{}' should be followed by a step of bundle 'tidy' (declared by pass 'messy')"
FINDS = "'needs' should be preceded by 'canonical' (declared by pass 'needs')"
MESSY = "inserted: 'x', 'x#2', since " + TIDIES.format("messy")
NEEDS = f"inserted: 'canonical', since {FINDS}"
ON_A = "'a' should be followed by {} (declared)"
NO_PLACE = "warning: {}, but the other constraints allow no position {} the pass"

CLEANUPS: dict[str, tuple[list[object], list[Constraint], str, list[str]]] = {
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
        ["warning: " + ON_A.format("a pass of type 'cleanup'") + ", but there is none: add one"],
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
    "right before, in the nested pipeline": (
        [OpPassManager("func.func").add(A(), Needs())], [], "func.func(a,canonical,needs)", [NEEDS],
    ),
    "no place before it": ([Lower(), Needs()], [], "lower,needs", [NO_PLACE.format(FINDS, "before")]),
}  # fmt: skip


@pytest.mark.parametrize(("items", "on_a", "expected", "report"), CLEANUPS.values(), ids=CLEANUPS)
def test_missing_cleanups_are_inserted(
    items: list[object], on_a: list[Constraint], expected: str, report: list[str]
) -> None:
    """Building inserts one cleanup for several passes at the best valid position, and reports it."""
    builder = made(*items)
    builder.constrain(A, *on_a)
    before = str(builder)
    assert str(builder.build()) == f"builtin.module({expected})"
    said = [re.sub(r" at \S+:\d+", "", str(remark)) for remark in builder.report()]
    assert said == report
    assert str(builder) == before


class Clean(Pass):
    """An idempotent pass."""

    name = "clean"
    idempotent = True
    level: int = 1


class Sweep(Pass):
    """Another such pass."""

    name = "sweep"
    idempotent = True


SWEEPING = Bundle("cleanup", Clean(), Sweep())
INNER = Bundle("inner", X(), SWEEPING)
DUPLICATES = {
    "two in a row": ([(A(), SWEEPING, SWEEPING, B())], "a,clean,sweep,b"),
    "passes of one call": ([(Clean(), Clean())], "clean,clean"),
    "and another call": ([(Clean(), Clean()), (Clean(),)], "clean,clean"),
    "other options": ([(Clean(),), (Clean(level=2),)], "clean,clean{level=2}"),
    "a pass between": ([(Clean(), A()), (Clean(),)], "clean,a,clean"),
    "a nested pipeline between": (
        [(Clean(), OpPassManager("func.func").add(Clean())), (Clean(),)], "clean,func.func(clean),clean",
    ),
    "not idempotent": ([(A(),), (A(),)], "a,a"),
    "idempotent by a table": ([(B(),), (B(),)], "b"),
    "a look between": ([(SWEEPING, Look()), (SWEEPING, Look())], "clean,sweep,look"),
    "a look and a pass between": ([(Clean(), Look(), A()), (Clean(),)], "clean,look,a,clean"),
    "an end and a beginning": (
        [(Bundle("one", X(), SWEEPING), Bundle("two", SWEEPING, X(n=1)))], "x,clean,sweep,x{n=1}",
    ),
    "bundles in bundles": (
        [(Bundle("outer", A(), INNER), Bundle("other", Clean(), Sweep(), B()))], "a,x,clean,sweep,b",
    ),
    "in one bundle": ([(Bundle("outer", INNER, Clean(), Sweep(), B()),)], "x,clean,sweep,b"),
    "what one bundle repeats": (
        [(Bundle("twice", Clean(), Sweep(), Clean(), Sweep()),)], "clean,sweep,clean,sweep",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "expected"), DUPLICATES.values(), ids=DUPLICATES)
def test_redundant_passes_are_dropped(calls: list[tuple[object, ...]], expected: str) -> None:
    """Passes right after equal passes run once, unless one call or bundle contains both."""
    table = DeclarationTable()
    table.declare("b", idempotent=True)
    builder = PipelineBuilder(declarations=table)
    for each in calls:
        builder.add(*each)
    assert str(builder.build()) == f"builtin.module({expected})"


def test_report_of_dropped_passes() -> None:
    """The report names dropped passes; the builder stays unchanged."""
    builder = PipelineBuilder()
    builder.add(SWEEPING, SWEEPING, Bundle("two", Clean(), Sweep(), X()))
    assert [*map(str, builder.report())] == [
        "dropped: 'clean', 'sweep' would change nothing after 'sweep'",
        "dropped: 'clean', 'sweep' would change nothing after 'sweep'",
    ]
    assert len(list(builder.steps())) == 7
