"""Over every adapter: what is run on what, in which order, and pipelines that passes run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import AnchorError, Pass, PassContext, PassManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from subjects import Subject


@pytest.fixture
def visit(subject: Subject, act: Callable[..., Pass[Any]]) -> Any:
    """Make a pass that reports where it runs."""

    def make(name: str = "a", **body: Any) -> Pass[Any]:
        def record(op: Any, ctx: PassContext) -> None:
            ctx.emit_remark(f"{name}@{subject.adapter.symbol_name(op)}")

        return act(record, name, **body)

    return make


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
