"""Over every adapter: what is run on what, in which order, and pipelines that passes run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import AnchorError, Nesting, Pass, PassContext, PassManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from subjects import Subject

    from passel.ir import OpKind


@pytest.fixture
def visit(subject: Subject, act: Callable[..., Pass[Any]]) -> Any:
    """Make a pass that reports where it runs."""

    def make(name: str = "a", **body: Any) -> Pass[Any]:
        def record(op: Any, ctx: PassContext) -> None:
            ctx.emit_remark(f"{name}@{subject.adapter.symbol_name(op)}")

        return act(record, name, **body)

    return make


def test_implicit_nesting(subject: Subject, run: Any, visit: Any, visited: list[str]) -> None:
    """With implicit nesting it goes into a nested manager of its own."""
    manager = PassManager(
        subject.names["module"], adapter=subject.adapter, nesting=Nesting.IMPLICIT
    )
    manager.add(visit("a", anchor=subject.names["func"]), visit("b"))
    run(manager)
    assert visited == ["a@f", "a@k", "b@top"]


def test_merging(
    subject: Subject, manager: PassManager, run: Any, visit: Any, visited: list[str]
) -> None:
    """Adjacent nested pipelines are one: op by op, whatever their anchors."""
    manager.add_nested(subject.names["func"], visit("a"))
    manager.add_nested(subject.names["module"], visit("b"))
    manager.add_nested(subject.names["func"], visit("c"))
    before = str(manager)
    run(manager)
    assert visited == ["a@f", "c@f", "b@inner", "a@k", "c@k"]
    assert str(manager) == before


def test_picky(
    subject: Subject, manager: PassManager, run: Any, visit: Any, visited: list[str]
) -> None:
    """In `any`, one pass that refuses an op keeps the whole manager from it."""
    func = subject.names["func"]

    def only_functions(_: Any, kind: OpKind) -> bool:
        return kind.name == func

    manager.nest("any").add(visit("a"), visit("b", can_schedule_on=only_functions))
    run(manager)
    assert visited == ["a@f", "b@f", "a@k", "b@k"]


def test_dynamic(
    subject: Subject,
    manager: PassManager,
    run: Any,
    act: Any,
    visit: Any,
    visited: list[str],
) -> None:
    """A pass runs pipelines on its op and on ops inside, and learns how that went."""
    on_module = PassManager(subject.names["module"], adapter=subject.adapter).add(visit("m"))
    on_function = PassManager(subject.names["func"], adapter=subject.adapter).add(visit("f"))

    def look(op: Any, ctx: PassContext) -> None:
        assert ctx.run_pipeline(on_module)
        assert ctx.run_pipeline(on_function, subject.adapter.children(op)[0])
        with pytest.raises(AnchorError, match="can't run"):
            ctx.run_pipeline(on_function)

    manager.add(act(look))
    run(manager)
    assert visited == ["m@top", "f@f"]


def test_dynamic_elsewhere(
    subject: Subject, manager: PassManager, program: Any, act: Any, visited: list[str]
) -> None:
    """On an op that is not inside of its own, a pass may run nothing."""
    nothing = PassManager(subject.names["func"], adapter=subject.adapter).add(act())
    _, *_, last = subject.adapter.children(program)

    def run(op: Any, ctx: PassContext) -> None:
        if subject.adapter.symbol_name(op) == "f":
            outcome = ctx.run_pipeline(nothing, last)
            assert not outcome
            assert outcome.failures[0].kind == "unschedulable"

    manager.add_nested(subject.names["func"], act(run))
    manager.run(program)


@pytest.mark.one_process
def test_state(subject: Subject, manager: PassManager, program: Any, act: Any) -> None:
    """`initialize` is called once, before anything runs, and its result is there on each op."""
    made: list[object] = []
    seen: list[object] = []

    def initialize(_: Any, ir_context: Any) -> object:
        assert ir_context == manager.context
        assert not seen
        made.append(object())
        return made[-1]

    def look(_op: Any, ctx: PassContext[Any]) -> None:
        seen.append(ctx.state)

    manager.add_nested(subject.names["func"], act(look, initialize=initialize))
    manager.run(program)
    manager.run(program)
    assert len(made) == 1
    assert seen == made * 4
