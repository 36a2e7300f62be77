"""Over every adapter: analyses are computed once, kept as long as they hold, and no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from subjects import Subject

    from passel import Pass, PassContext, PassManager


class Fact:
    """An analysis."""

    def __init__(self, op: Any) -> None:
        self.op = op


class Other(Fact):
    """Another one."""


@pytest.fixture
def seen() -> list[Any]:
    """What passes were given."""
    return []


@pytest.fixture
def ask(act: Callable[..., Pass[Any]], seen: list[Any]) -> Callable[..., Pass[Any]]:
    """Make a pass that asks for `Fact`, and preserves what its script names."""

    def make(*preserved: type, everything: bool = False) -> Pass[Any]:
        def look(_op: Any, ctx: PassContext) -> None:
            seen.append(ctx.analysis(Fact))
            assert ctx.analysis(Fact) is seen[-1]
            ctx.preserve(*preserved)
            if everything:
                ctx.preserve_all()

        return act(look)

    return make


def test_preserved(manager: PassManager, program: Any, ask: Any, seen: list[Any]) -> None:
    """What a pass preserves is there for the next one; all else is computed again."""
    manager.add(ask(Fact), ask(everything=True), ask(Other), ask())
    manager.run(program)
    first, second, third, fourth = seen
    assert first is second
    assert second is third
    assert third is not fourth
    assert first.op == program


def test_dead_ops(subject: Subject, manager: PassManager, program: Any, act: Any) -> None:
    """Analyses of ops that were moved away are not mistaken for those of others."""

    def look(op: Any, ctx: PassContext) -> None:
        first, *_, module, last = subject.adapter.children(op)
        known = ctx.child_analysis(Fact, first)
        subject.move(first, module)
        assert ctx.child_analysis(Fact, last) is not known
        ctx.preserve(Fact)

    manager.add(act(look), act())
    manager.run(program)
