"""The verifier of analyses finds passes that preserve what they changed."""

from __future__ import annotations

from typing import Any

import pytest
from toy_steps import (
    DEEP,
    FUNCS,
    EqualTotal,
    Names,
    Total,
    children,
    failure_of,
    keep,
    manager,
    pipeline,
    step,
)

from passel import AnalysisManager, OpPassManager, Pass, PassContext, PassFailure, PassManager
from passel.testing import ToyOp, parse_toy


def verified(*passes: Pass[Any] | OpPassManager) -> PassManager:
    """Return a pipeline for modules whose analyses are verified."""
    pm = manager(*passes)
    pm.enable_analysis_verifier()
    return pm


def change(op: ToyOp, ctx: PassContext) -> None:
    """Change the innermost op."""
    while op.body:
        op = op.body[0]
    op.value += 1


def lie(*kinds: type, everything: bool = False) -> Pass[Any]:
    """Return a pass that changes something in its op and says that analyses are still valid."""
    return step(
        lambda op, ctx: (
            change(op, ctx),
            ctx.preserve_all() if everything else ctx.preserve(*kinds),
        )
    )


@pytest.mark.parametrize(
    ("liar", "claim"),
    [
        (lie(EqualTotal), "it changed EqualTotal, which it claims"),
        (lie(everything=True), "claims to preserve all analyses"),
        (step(change, preserves=(EqualTotal,)), "it changed EqualTotal, which it claims"),
    ],
    ids=["preserve", "preserve_all", "preserves"],
)
def test_a_pass_that_preserves_what_it_broke_is_found(liar: Pass[Any], claim: str) -> None:
    """An analysis that a pass claims to have preserved is computed again and compared."""
    failure = failure_of(verified(keep(EqualTotal), liar))
    assert failure.path == "toy.module/1:step"
    assert claim in failure.diagnostic.message
    manager(keep(EqualTotal), liar).run(parse_toy("toy.module"))


@pytest.mark.parametrize("depth", [1, 2])
def test_a_pass_that_breaks_an_analysis_of_an_op_inside_is_found(depth: int) -> None:
    """Analyses of ops inside are compared as well, at any depth, and the op is named."""

    def ask(op: ToyOp, ctx: PassContext) -> None:
        inner = op.body[0] if depth == 1 else op.body[0].body[0]
        ctx.child_analysis(EqualTotal, inner)
        ctx.preserve(EqualTotal)

    failure = failure_of(verified(step(ask), lie(EqualTotal)), DEEP)
    assert f"changed EqualTotal of @{'mf'[depth - 1]}" in failure.diagnostic.message


def test_the_dependencies_of_a_broken_analysis_are_computed_anew() -> None:
    """An analysis that repeats what a stale one says does not pass for being right."""

    class OfTotal:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            self.value = analyses.analysis(Total).value  # which cannot be compared

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OfTotal) and self.value == other.value

        __hash__ = None  # pyright: ignore[reportAssignmentType]

    failure = failure_of(verified(keep(OfTotal, Total), lie(OfTotal, Total)))
    assert "changed OfTotal, which" in failure.diagnostic.message


def erase(op: ToyOp, ctx: PassContext) -> None:
    """Erase the first op inside, and say what is true of the others."""
    erased = op.body.pop(0)
    erased.parent, erased.value = None, 77
    ctx.preserve(EqualTotal)


@pytest.mark.parametrize(
    "honest",
    [
        pytest.param((keep(EqualTotal), step(change)), id="a change that preserves nothing"),
        pytest.param((keep(EqualTotal), lie(Names)), id="a change that preserves others"),
        pytest.param((keep(Total), lie(Total)), id="what cannot be compared"),
        pytest.param((keep(EqualTotal), keep(EqualTotal)), id="no change"),
        pytest.param(
            (children(EqualTotal, preserving=(EqualTotal,)), step(erase)), id="an op was erased"
        ),
        pytest.param(
            (keep(EqualTotal), pipeline(step(change))), id="a nested pass that changes something"
        ),
    ],
)
def test_no_honest_pass_is_accused(honest: tuple[Pass[Any] | OpPassManager, ...]) -> None:
    """What was dropped, cannot be compared, is erased or is still right is no lie."""
    verified(*honest).run(parse_toy(FUNCS))


def test_a_pass_that_failed_is_not_accused_of_anything_else() -> None:
    """The pass's own failure is the one that is reported."""

    def body(op: ToyOp, ctx: PassContext) -> None:
        change(op, ctx)
        ctx.preserve(EqualTotal)
        raise PassFailure("of its own")

    failure = failure_of(verified(keep(EqualTotal), step(body)))
    assert "of its own" in failure.diagnostic.message


def test_comparing_that_raises_fails_the_pass() -> None:
    """An analysis that raises when it is computed again fails the pass."""

    class Fragile(EqualTotal):
        def __init__(self, op: ToyOp) -> None:
            super().__init__(op)
            if self.value > 1:
                raise ZeroDivisionError

    failure = failure_of(verified(keep(Fragile), lie(Fragile)))
    assert "comparing the op's analyses raised ZeroDivisionError" in failure.diagnostic.message
