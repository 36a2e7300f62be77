"""`PrintIR`: what is printed, where, and that nothing can go wrong by it."""

from __future__ import annotations

from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from toy_steps import fail, step

from passel import Pass, PassContext, PassManager
from passel.execution import Run
from passel.execution.strategies import Sequential
from passel.execution.strategies.executors import Threads
from passel.execution.strategies.fork import Forked
from passel.hooks import Instrumentor
from passel.instruments.ir_printer import PrintIR
from passel.ir import PrintFlags
from passel.schedule.compiler import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from pathlib import Path


SOURCE = "toy.module @m(toy.func @f,toy.func @g)"


class Bump(Pass[ToyOp]):
    """Change the op that has a symbol, wherever it is."""

    name = "bump"
    symbol: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Add one to its value."""
        for each in op.walk():
            if each.symbol == self.symbol:
                each.value += 1


def manager(*passes: Pass[Any], nested: tuple[Pass[Any], ...] = ()) -> PassManager:
    """Return a manager for toy modules, with passes on their functions first."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    return pm.add_nested("toy.func", *nested).add(*passes)


def dumps(pm: PassManager, source: str = SOURCE, **flags: Any) -> list[str]:
    """Return what is printed in a run: the headers' names of passes, with the IR below."""
    stream = StringIO()
    pm.add_instrumentation(PrintIR(stream=stream, **flags))
    pm.run(parse_toy(source))
    text = stream.getvalue().replace("// -----// IR Dump ", "#").replace(" //----- //\n", ": ")
    return [line for line in text.splitlines() if line]


def test_diff_shows_each_change_once() -> None:
    """Each diff has the changes of one pass, whatever op the pass before it ran on."""
    pm = manager(Bump(symbol="f"), nested=(Bump(symbol="f"), Bump(symbol="x"), Bump(symbol="f")))
    lines = [line for line in dumps(pm, diff=True) if line[0] in "#+-" and line[1] not in "+-"]
    assert lines == [
        "#After Bump (bump): --- before",
        "-toy.func @f",
        "+toy.func @f 1",
        "#After Bump (bump): --- before",
        "-toy.func @f 1",
        "+toy.func @f 2",
        "#After Bump (bump): --- before",
        "-toy.module @m(toy.func @f 2,toy.func @g)",
        "+toy.module @m(toy.func @f 3,toy.func @g)",
    ]


def test_stream_that_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe without a reader ends printing silently; a full disk is reported once."""

    class Broken(StringIO):
        error: OSError = BrokenPipeError()

        def write(self, _: str) -> int:
            raise self.error

    full = "error: cannot print the IR: No space left on device; nothing more is printed\n"
    for error, said in ((BrokenPipeError(), ""), (OSError(28, "No space left on device"), full)):
        Broken.error, pm = error, manager(Bump(symbol="f"), Bump(symbol="g"))
        pm.add_instrumentation(PrintIR(after=True, stream=Broken()))
        pm.run(parse_toy(SOURCE))
        assert capsys.readouterr().err == said


def warn(op: ToyOp, ctx: PassContext, times: int = 1) -> None:
    """Change the op, and warn of each change."""
    for _ in range(times):
        op.value += 1
        ctx.emit_warning(f"now it is {op.value}")


@pytest.mark.parametrize("strategy", [Threads(2), Forked(2)], ids=["threads", "fork"])
@pytest.mark.parametrize(
    "flags",
    [{"before": True, "after": True}, {"diff": True}, {"after": True, "directory": ""}, None],
)
def test_workers_leave_what_one_process_does(
    strategy: Sequential, flags: dict[str, Any] | None, tmp_path: Path
) -> None:
    """Dumps, diagnostics and files are the same, and in the same order, as without workers."""
    said: list[str] = []
    for number, chosen in enumerate((Sequential(), strategy)):
        log, compiler = StringIO(), PipelineCompiler(ToyAdapter(), {"toy"})
        pm = PassManager("toy.module", adapter=ToyAdapter()).add(once := step(warn, "warn"))
        pm.add_nested(
            "toy.func", once, step(lambda op, ctx: warn(op, ctx, 2), "warn"), step(fail)
        ).add(once)
        folder, how = tmp_path / str(number), dict(flags or {})
        if "directory" in how:
            how["directory"] = folder
        printers = [] if flags is None else [PrintIR(stream=log, **how)]
        hooks = Instrumentor(printers)
        run = Run(compiler, hooks, partial(print, file=log), strategy=chosen)
        run.run(compiler.schedule(pm), parse_toy("toy.module(toy.func @f,toy.func @g,toy.func @h)"))
        files = (
            f"{p.relative_to(folder)}\n{p.read_text()}" for p in sorted(folder.rglob("*.mlir"))
        )
        said.append(log.getvalue() + "".join(files))
    assert said[0] == said[1]
    assert ("toy_func_h/0_0_warn.mlir" in said[0]) == ("directory" in (flags or {}))
    assert said[0].count("warning: now it is") == 1 + 3 * 3
    assert said[0].count(": error: ") == 3


@pytest.mark.one_process
@pytest.mark.parametrize("wanted", ["after", "before", "diff"])
def test_nested_ops_are_printed_alone(wanted: str) -> None:
    """Nested ops are printed in local scope, so that the time does not depend on enclosing ops."""
    scopes: dict[str, bool] = {}

    class Seen(ToyAdapter):
        def print_op(self, op: ToyOp, flags: PrintFlags = PrintFlags()) -> str:  # noqa: B008
            scopes[op.name] = flags.local_scope
            return super().print_op(op, flags)

    pm = PassManager("toy.module", adapter=Seen()).add(Bump(symbol="f"))
    pm.nest("toy.func").add(Bump(symbol="f"))
    flags: dict[str, Any] = {wanted: True}
    assert dumps(pm, **flags)
    assert scopes == {"toy.module": False, "toy.func": True}
