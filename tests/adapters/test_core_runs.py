"""Over every adapter: options, failures, statistics, timing, dumps, reproducers, results."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    PassRegistry,
    Statistic,
)
from passel.instruments import CrashReproducer
from passel.instruments.ir_printer import PrintIR
from passel.ir import PrintFlags
from passel.manager import BarePipeline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from subjects import Subject


class Configured(Pass[Any]):
    """Has options of many kinds, and runs a pipeline."""

    name = "configured"
    count: int = 3
    label: str = ""
    names: tuple[str, ...] = ()
    pipeline: BarePipeline = BarePipeline()
    ran = Statistic("How often it ran")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Count, run, and fail if that is what it is called for."""
        ctx.count(self.ran, self.count)
        ctx.run_pipeline(self.pipeline)
        if self.label == "fail":
            ctx.emit_remark("about to fail")
            raise PassFailure("told to")


@pytest.fixture
def registry() -> PassRegistry:
    """A registry with the pass of this file."""
    registry = PassRegistry()
    registry.register(Configured)
    return registry


@pytest.fixture
def parse_whole(subject: Subject, registry: PassRegistry) -> Any:
    """Parse a pipeline."""

    def parse(text: str) -> PassManager:
        context = subject.adapter.create_context()
        return PassManager.parse(text, context, adapter=subject.adapter, registry=registry)

    return parse


@pytest.fixture
def parse(subject: Subject, parse_whole: Any) -> Any:
    """Parse a pipeline for functions in a module."""

    def parse(elements: str) -> PassManager:
        return parse_whole(f"{subject.names['module']}({subject.names['func']}({elements}))")

    return parse


def test_statistics(parse: Any, subject: Subject, program: Any) -> None:
    """Counts add up over ops; those of pipelines that passes run are below their paths."""
    result = parse("configured{pipeline=configured{count=1}}").run(program)
    path = f"{subject.names['module']}/{subject.names['func']}/0:configured"
    assert result.statistics == {path: {"ran": 6}, f"{path}/any/0:configured": {"ran": 2}}


def test_dumps(parse: Any, subject: Subject, program: Any) -> None:
    """Dumps have MLIR's headers, with the pass, the op and its symbol."""
    stream = io.StringIO()
    manager = parse("configured")
    manager.add_instrumentation(PrintIR(before=True, after=True, module_scope=True, stream=stream))
    manager.run(program)
    headers = [line for line in stream.getvalue().splitlines() if "-----//" in line]
    func = subject.names["func"]
    assert headers == [
        f"// -----// IR Dump {when} Configured (configured) ('{func}' operation: @{name}) //----- //"
        for name in ("f", "k")
        for when in ("Before", "After")
    ]


def test_reproducers(parse: Any, parse_whole: Any, program: Any, tmp_path: Path) -> None:
    """A run that fails leaves the IR before it and the whole pipeline; one that does not, nothing."""
    file = tmp_path / "repro"
    manager = parse("configured{label=fail}")
    manager.add_instrumentation(CrashReproducer(file))
    with pytest.raises(PassFailedError) as caught:
        manager.run(program)
    assert caught.value.reproducer == file
    text = file.read_text()
    assert "mlir_reproducer" in text
    recorded = next(line for line in text.splitlines() if line.strip().startswith("pipeline:"))
    pipeline = recorded.split('"', 1)[1].rsplit('"', 1)[0].replace("\\22", '"')
    again = parse_whole(pipeline)
    assert again == manager
    with pytest.raises(PassFailedError):
        again.run(program)
    file.unlink()
    succeeding = parse("configured")
    succeeding.add_instrumentation(CrashReproducer(file))
    succeeding.run(program)
    assert not list(tmp_path.iterdir())


# -- What a pass may ask about its op ------------------------------------------------------------


@pytest.mark.one_process("forked")
def test_a_pass_can_ask_about_its_op_without_knowing_the_ir(
    subject: Subject, manager: PassManager, program: Any, act: Callable[..., Pass[Any]]
) -> None:
    """The context answers as the adapter does, for the very op that the pass runs on."""
    seen: list[tuple[object, ...]] = []

    def look(op: Any, ctx: PassContext) -> None:
        about = ctx.about()
        assert about.op is op
        assert about.location == subject.adapter.location(op)
        assert about.text == subject.adapter.print_op(op, PrintFlags())
        enclosing = None if about.parent is None else ctx.about(about.parent).symbol
        seen.append((about.name, about.symbol, enclosing, about.isolated, about.registered))

    manager.add(act(look, "look"))
    manager.nest(subject.names["module"]).nest(subject.names["func"]).add(act(look, "look"))
    manager.run(program)
    module, func = subject.names["module"], subject.names["func"]
    assert seen == [
        (module, "top", None, True, True),
        (func, "g", "inner", True, True),
        (func, "h", "inner", True, True),
    ]


def test_a_pass_can_ask_about_other_ops(
    subject: Subject, manager: PassManager, program: Any, act: Callable[..., Pass[Any]]
) -> None:
    """An op that no dialect defines is neither registered nor isolated."""
    seen: list[tuple[object, ...]] = []

    def look(op: Any, ctx: PassContext) -> None:
        for each in ctx.adapter.children(op):
            about = ctx.about(each)
            assert about.parent == op
            seen.append((about.name, about.symbol, about.registered, about.isolated))

    manager.add(act(look, "look")).run(program)
    names = subject.names
    assert seen == [
        (names["func"], "f", True, True),
        (names["unknown"], None, False, False),
        (names["region"], None, True, False),
        (names["module"], "inner", True, True),
        (names["func"], "k", True, True),
    ]
