"""Passes and bundles that several have asked for, and that need to run once."""

from __future__ import annotations

import pytest
from builder_passes import A, B, X

from passel import AllAnalyses, OpPassManager, Pass
from passel.builder import Bundle, DeclarationTable, PipelineBuilder


class Clean(Pass):
    """An idempotent pass."""

    name = "clean"
    idempotent = True
    level: int = 1


class Sweep(Pass):
    """Another one."""

    name = "sweep"
    idempotent = True


class Look(Pass):
    """A pass that only looks, such as a printer."""

    name = "look"
    idempotent = True
    preserves = (AllAnalyses,)


def built(*calls: tuple[object, ...], declarations: DeclarationTable | None = None) -> str:
    """Return what is built of what calls have added."""
    builder = PipelineBuilder(declarations=declarations)
    for each in calls:
        builder.add(*each)
    return str(builder.build()).removeprefix("builtin.module(").removesuffix(")")


CLEANUP = Bundle("cleanup", Clean(), Sweep())
INNER = Bundle("inner", X(), CLEANUP)
TIGHT = Bundle("tight", Clean(), Sweep(), together=True)
ONCE = Bundle("two", Clean(), Sweep(), X(), idempotent=False)
CASES = {
    "two in a row": ([(A(), CLEANUP, CLEANUP, B())], "a,clean,sweep,b"),
    "that stay together": ([(TIGHT, TIGHT)], "clean,sweep"),
    "passes of one call": ([(Clean(), Clean())], "clean,clean"),
    "and another call": ([(Clean(), Clean()), (Clean(),)], "clean,clean"),
    "other options": ([(Clean(),), (Clean(level=2),)], "clean,clean{level=2}"),
    "a pass between": ([(Clean(), A()), (Clean(),)], "clean,a,clean"),
    "a nested pipeline between": (
        [(Clean(), OpPassManager("func.func").add(Clean())), (Clean(),)], "clean,func.func(clean),clean",
    ),
    "not idempotent": ([(A(),), (A(),)], "a,a"),
    "a look between": ([(CLEANUP, Look()), (CLEANUP, Look())], "clean,sweep,look"),
    "a look and a pass between": ([(Clean(), Look(), A()), (Clean(),)], "clean,look,a,clean"),
    "an end and a beginning": (
        [(Bundle("one", X(), CLEANUP), Bundle("two", CLEANUP, X(n=1)))], "x,clean,sweep,x{n=1}",
    ),
    "bundles in bundles": (
        [(Bundle("outer", A(), INNER), Bundle("other", Clean(), Sweep(), B()))], "a,x,clean,sweep,b",
    ),
    "in one bundle": ([(Bundle("outer", INNER, Clean(), Sweep(), B()),)], "x,clean,sweep,b"),
    "what one bundle repeats": (
        [(Bundle("twice", Clean(), Sweep(), Clean(), Sweep()),)], "clean,sweep,clean,sweep",
    ),
    "bundles that are not": ([(CLEANUP, ONCE)], "clean,sweep,clean,sweep,x"),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "expected"), CASES.values(), ids=CASES)
def test_what_changes_nothing_is_dropped(calls: list[tuple[object, ...]], expected: str) -> None:
    """Passes right after equal ones run once, but for those that one call or bundle has twice."""
    assert built(*calls) == expected


def test_a_table_may_say_that_a_pass_is_idempotent() -> None:
    """As its class does."""
    table = DeclarationTable()
    table.declare("a", idempotent=True)
    assert built((A(),), (A(),), declarations=table) == "a"


def test_the_report_says_what_was_dropped() -> None:
    """A bundle, or those of its passes that others begin with; the builder stays as it is."""
    builder = PipelineBuilder()
    builder.add(CLEANUP, CLEANUP, Bundle("two", Clean(), Sweep(), X()))
    assert [*map(str, builder.report())] == [
        "dropped: bundle 'cleanup' changes nothing after 'sweep'",
        "dropped: 'clean' and 'sweep' of bundle 'two' change nothing after 'sweep'",
    ]
    assert len(builder) == 7
