"""Passes and bundles that several have asked for, and that need to run once."""

from __future__ import annotations

from builder_passes import A, B, X, made

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


CLEANUP = Bundle("cleanup", Clean(), Sweep())


def test_two_cleanups_in_a_row_become_one() -> None:
    """A bundle right after an equal one is dropped, and the report says so."""
    builder = made(A(), CLEANUP, CLEANUP, B())
    assert str(builder.build()) == "builtin.module(a,clean,sweep,b)"
    (remark,) = builder.report()
    assert str(remark) == "dropped: bundle 'cleanup' changes nothing after 'sweep'"
    assert str(builder) == "builtin.module(a,clean,sweep,clean,sweep,b)"
    tight = Bundle("tight", Clean(), Sweep(), together=True)
    assert str(made(tight, tight).build()) == "builtin.module(clean,sweep)"


def test_what_one_call_asks_for_stays() -> None:
    """Who adds a pass twice gets it twice; who else adds it does not."""
    builder = made(Clean(), Clean())
    assert str(builder.build()) == "builtin.module(clean,clean)"
    builder.add(Clean())
    assert str(builder.build()) == "builtin.module(clean,clean)"
    manager = OpPassManager("builtin.module").add(Clean(), Clean())
    assert PipelineBuilder.from_manager(manager).build() == manager


def test_what_differs_stays() -> None:
    """Other options, a pass between, or another nest: nothing is dropped."""
    builder = made(Clean())
    builder.add(Clean(level=2))
    builder.add(A())
    builder.add(Clean(level=2))
    builder.nest("func.func").add(Clean())
    builder.add(Clean(level=2))
    assert not builder.report()


def test_passes_that_are_not_idempotent_stay() -> None:
    """Nothing is known of a pass unless it is declared, by its class or by a table."""
    builder = made(A())
    builder.add(A())
    assert len(builder.build()) == 2
    table = DeclarationTable()
    table.declare("a", idempotent=True)
    builder = PipelineBuilder(declarations=table)
    builder.add(A())
    builder.add(A())
    assert len(builder.build()) == 1


class Look(Pass):
    """A pass that only looks, such as a printer."""

    name = "look"
    idempotent = True
    preserves = (AllAnalyses,)


def test_what_only_looks_may_stand_between() -> None:
    """A printer between two cleanups changes nothing, so that the second has nothing to do."""
    builder = made(CLEANUP, Look())
    builder.add(CLEANUP)
    builder.add(Look())
    assert str(builder.build()) == "builtin.module(clean,sweep,look)"
    builder = made(Clean(), Look(), A())
    builder.add(Clean())
    assert len(builder.build()) == 4


def test_what_bundles_share_is_merged_at_its_longest() -> None:
    """The last passes of one bundle are those that the next begins with: they run once."""
    builder = made(Bundle("one", X(), Clean(), Sweep()), Bundle("two", Clean(), Sweep(), X(n=1)))
    assert str(builder.build()) == "builtin.module(x,clean,sweep,x{n=1})"
    (remark,) = builder.report()
    assert str(remark) == (
        "dropped: 'clean' and 'sweep' of bundle 'two' change nothing after 'sweep'"
    )


def test_bundles_in_bundles_are_merged() -> None:
    """What a bundle inside of another one ends with is shared as well."""
    inner = Bundle("inner", X(), CLEANUP)
    builder = made(Bundle("outer", A(), inner), Bundle("other", Clean(), Sweep(), B()))
    assert str(builder.build()) == "builtin.module(a,x,clean,sweep,b)"
    builder = made(Bundle("outer", inner, Clean(), Sweep(), B()))
    assert str(builder.build()) == "builtin.module(x,clean,sweep,b)"


def test_what_one_bundle_repeats_stays() -> None:
    """A bundle that runs two passes in turn is no two cleanups."""
    builder = made(Bundle("twice", Clean(), Sweep(), Clean(), Sweep()))
    assert str(builder.build()) == "builtin.module(clean,sweep,clean,sweep)"
    builder = made(
        Bundle("one", Clean(), Sweep()), Bundle("two", Clean(), Sweep(), X(), idempotent=False)
    )
    assert str(builder.build()) == "builtin.module(clean,sweep,clean,sweep,x)"
