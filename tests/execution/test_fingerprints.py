"""Fingerprints of ops inside are handed on between pipelines on them and passes around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from toy_steps import failed_run, manager, nothing, pipeline, step

from passel.testing import ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel import PassContext, PassManager

SOURCE = "toy.module @m(toy.func @f,toy.func @g,toy.func @h)"


def set_value(op: ToyOp, value: int) -> None:
    """Change an op."""
    op.value = value


def origins(pm: PassManager, ir: str = SOURCE) -> list[tuple[str, str | None, str]]:
    """Run a pipeline that fails, and return the kind, op and pass of each failure."""
    return [(each.kind, each.symbol, each.path) for each in failed_run(pm, ir).failures]


def test_a_change_after_nested_pipelines_is_blamed_on_who_made_it() -> None:
    """A pass around the functions is found to have made one invalid that was good before."""
    spoil = step(lambda op, _: set_value(op.body[1], -1), "spoil")
    change = step(lambda op, _: set_value(op, 1), "change")
    pm = manager(step(nothing), pipeline(change), step(nothing), spoil)
    assert origins(pm) == [("invalid", "m", "toy.module/2:spoil")]


def test_changes_are_found_in_modules_of_modules() -> None:
    """A module in a module, which passes around and inside of it run on, is held to its state."""
    deep = "toy.module @m(toy.module @a(toy.func @f),toy.module @b(toy.func @g))"

    def meddle(op: ToyOp, ctx: PassContext) -> None:
        if op.symbol == "b":
            assert op.parent is not None
            op.parent.body[0].body[0].value += 1

    def build(body: Callable[[ToyOp, PassContext], None]) -> PassManager:
        inner = pipeline(step(nothing), pipeline(step(body)), step(body), anchor="toy.module")
        return manager(step(nothing), inner, step(nothing))

    assert build(nothing).run(parse_toy(deep)).changed is False
    assert [each[:2] for each in origins(build(meddle), deep)] == [("isolation", "b")]


@pytest.mark.parametrize("target", [0, 2])
def test_a_change_beside_is_found_when_states_were_known_before(target: int) -> None:
    """Passes around take nothing from what passes on functions are held to."""

    def meddle(op: ToyOp, ctx: PassContext) -> None:
        if op.symbol == "g":
            assert op.parent is not None
            op.parent.body[target].value += 1

    pm = manager(step(nothing), pipeline(step(meddle, "meddle")), step(nothing))
    ((kind, symbol, _),) = origins(pm)
    assert (kind, symbol) == ("isolation", "fgh"[target])


def test_a_claim_that_nobody_has_checked_yet_is_no_knowledge() -> None:
    """A pass around that lies about its changes is not mistaken for one on a function."""

    def lie(op: ToyOp, ctx: PassContext) -> None:
        op.body[2].value = 1
        ctx.preserve_all()

    pm = manager(step(nothing), step(lie, "lie"), pipeline(step(nothing)))
    assert pm.run(parse_toy(SOURCE)).changed is True


def test_ops_that_a_pass_answers_for_are_looked_at() -> None:
    """A function that was added beside another, with leave, is one of those held good."""

    def add(op: ToyOp, ctx: PassContext) -> None:
        if op.symbol == "f":
            assert op.parent is not None
            op.parent.add(ToyOp("toy.func", "new"))
            ctx.answer_for_changes_outside()

    spoil = step(lambda op, _: set_value(op.body[-1], -1), "spoil")
    pm = manager(step(nothing), pipeline(step(add)), spoil)
    assert origins(pm) == [("invalid", "m", "toy.module/1:spoil")]


def test_a_pass_of_a_dynamic_pipeline_may_answer_for_the_enclosing_op() -> None:
    """A function that it adds beside its own is no violation, as if it ran by itself."""

    def add(op: ToyOp, ctx: PassContext) -> None:
        if op.symbol == "f":
            assert op.parent is not None
            op.parent.add(ToyOp("toy.func", "new"))
            ctx.answer_for_changes_outside()

    def run_it(op: ToyOp, ctx: PassContext) -> None:
        ctx.run_pipeline(pipeline(step(add)))

    pm = manager(step(nothing), pipeline(step(run_it)), step(nothing))
    assert pm.run(parse_toy(SOURCE)).changed is True
