"""Over every adapter: hooks come in order, and say what changed and what was skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel.testing import FullEventRecorder

if TYPE_CHECKING:
    from subjects import Subject

    from passel import PassContext, PassManager


@pytest.fixture
def recorder(subject: Subject, manager: PassManager) -> FullEventRecorder:
    """What observes the manager."""
    recorder = FullEventRecorder()
    manager.add_instrumentation(recorder)
    return recorder


def _on(subject: Subject, symbol: str, action: Any) -> Any:
    """Return what does something on one op only."""

    def run(op: Any, ctx: PassContext) -> None:
        if subject.adapter.symbol_name(op) == symbol:
            action(op, ctx)

    return run


def test_order(
    subject: Subject, manager: PassManager, program: Any, act: Any, recorder: FullEventRecorder
) -> None:
    """Hooks of runs, steps, pipelines, passes and verification are nested in each other."""
    func = subject.names["func"]
    manager.enable_verifier("always")
    manager.add_nested(func, act())
    manager.run(program)
    each = [
        event
        for name in ("f", "k")
        for event in (
            f"before-pipeline {func} @{name}",
            f"before-pass act @{name}",
            f"before-verification act @{name}",
            f"after-verification act @{name}",
            f"after-pass act @{name}",
            f"after-pipeline {func} @{name}",
        )
    ]
    enclosing = [event for event in recorder.events if event.endswith("@top")]
    assert [event for event in recorder.events if not event.endswith("@top")] == each
    assert enclosing[:2] == [
        f"before-run {subject.names['module']} @top",
        f"before-pass [{func}] @top",
    ]
    assert enclosing[-2:] == [
        f"after-pass [{func}] @top",
        f"after-run {subject.names['module']} @top",
    ]


def test_changes(
    subject: Subject, manager: PassManager, program: Any, act: Any, recorder: FullEventRecorder
) -> None:
    """A change is reported for the pass that made it, on the op that it ran on, and no other."""

    def change(op: Any, _ctx: PassContext) -> None:
        subject.change(op)

    only_k = act(_on(subject, "k", change), "b")
    manager.add_nested(subject.names["func"], act(name="a"), only_k, act(name="c"))
    manager.run(program)
    changes = [event for event in recorder.events if event.startswith("after-change")]
    assert changes == ["after-change b @k"]


def test_gates(
    subject: Subject, manager: PassManager, program: Any, act: Any, recorder: FullEventRecorder
) -> None:
    """What a gate keeps from running is skipped between its hooks."""
    ran: list[str | None] = []

    def record(op: Any, _ctx: PassContext) -> None:
        ran.append(subject.adapter.symbol_name(op))

    manager.add_gate(lambda _step, op: subject.adapter.symbol_name(op) != "f")
    manager.add_nested(subject.names["func"], act(record))
    manager.run(program)
    assert ran == ["k"]
    assert [event for event in recorder.events if event.startswith("pass-skipped")] == [
        "pass-skipped act @f"
    ]
