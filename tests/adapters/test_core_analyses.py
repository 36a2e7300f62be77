"""Over every adapter: analyses are computed once, kept as long as they hold, and no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import Pass, PassContext, PassFailedError, PassManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from subjects import Subject


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


@pytest.mark.one_process
def test_per_op(
    subject: Subject, manager: PassManager, program: Any, ask: Any, seen: list[Any]
) -> None:
    """Each op has its own, and when the pipeline on it ends they are dropped."""
    func = subject.names["func"]
    manager.add_nested(func, ask(Fact), ask(Fact)).add(ask(Fact)).add_nested(func, ask())
    manager.run(program)
    f, f_again, k, k_again, top, f_later, _ = seen
    assert f is f_again
    assert k is k_again
    assert f is not f_later
    assert top.op == program


@pytest.mark.one_process
def test_parents_and_children(
    subject: Subject, manager: PassManager, program: Any, act: Any, ask: Any, seen: list[Any]
) -> None:
    """A pass sees cached analyses of the enclosing ops, and those of ops inside."""
    enclosing: list[Any] = []

    def look(_op: Any, ctx: PassContext) -> None:
        enclosing.append(ctx.parent_analysis(Fact))

    def inside(op: Any, ctx: PassContext) -> None:
        function = subject.adapter.children(op)[0]
        assert ctx.cached_child_analysis(Fact, function) is None
        found = ctx.child_analysis(Fact, function)
        assert found.op == function
        assert ctx.cached_child_analysis(Fact, function) is found

    manager.add(ask(Fact)).add_nested(subject.names["func"], act(look)).add(act(inside))
    manager.run(program)
    assert enclosing == [seen[0]] * 2


def test_nested_passes_invalidate(
    subject: Subject, manager: PassManager, program: Any, act: Any, ask: Any, seen: list[Any]
) -> None:
    """What was known of an op is gone after passes on the ops inside."""
    manager.add(ask(Fact)).add_nested(subject.names["func"], act()).add(ask(Fact))
    manager.run(program)
    assert seen[0] is not seen[1]


def test_liars(subject: Subject, manager: PassManager, program: Any, act: Any) -> None:
    """If analyses are checked, a pass that preserves what it changes is found out."""

    class Count:
        """Compares by what is inside."""

        def __init__(self, op: Any) -> None:
            self.count = len(subject.adapter.children(op))

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Count) and other.count == self.count

        __hash__ = None  # pyright: ignore[reportAssignmentType]

    def lie(op: Any, ctx: PassContext) -> None:
        ctx.analysis(Count)
        *_, module, _ = subject.adapter.children(op)
        subject.move(subject.adapter.children(op)[0], module)
        ctx.preserve(Count)

    manager.enable_analysis_verifier()
    manager.add(act(lie))
    with pytest.raises(PassFailedError, match="preserves Count of @top, but changed it"):
        manager.run(program)


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
