"""Passes on toy ops that do all that passes may do, and runs of them that compare."""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from pathlib import Path
from threading import get_native_id
from typing import TYPE_CHECKING, Any

from passel import OpPassManager, Pass, PassContext, Statistic
from passel.execution import Run
from passel.hooks import Instrumentor
from passel.schedule.compiler import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    import pytest

    from passel.execution.strategies import Sequential
    from passel.passes.outcome import Outcome


class Again(Pass):
    """Count and report."""

    name = "again"
    seen = Statistic("Ops seen")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        ctx.count(self.seen, 2)
        ctx.emit_warning(f"again {op.symbol}")


PARENT = os.environ.setdefault("PASSEL_TESTS_RUN_IN", str(os.getpid()))


def is_elsewhere() -> bool:
    """Return whether this is not the process of the tests."""
    return str(os.getpid()) != PARENT


class TellProcess(Pass):
    """Give an op the number 1 if this is another process, else 2."""

    name = "tell-process"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        op.value = 1 if is_elsewhere() else 2


class Die(Pass):
    """End the process on ops of a value, in another way for each."""

    name = "die"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it, unless this is the process of the tests."""
        if not is_elsewhere():
            return
        faulthandler.disable()
        if op.value == 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        if op.value == 2:
            os._exit(3)
        if op.value == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        op.value += 10


class Meddle(Pass):
    """Change the op beside its own."""

    name = "meddle"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        if op.symbol == "f5":
            assert op.parent is not None
            op.parent.body[op.parent.body.index(op) - 1].value += 1


class MeddleFarOut(Pass):
    """Change the op around the one around, or one that is beside that."""

    name = "meddle-far-out"
    beside: bool = False

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        if op.symbol == "g5":
            assert op.parent is not None
            assert op.parent.parent is not None
            top = op.parent.parent
            (top.body[-1] if self.beside else top).value += 1


def children() -> set[str]:
    """Return the processes that this thread has started and that are not gone."""
    path = Path(f"/proc/{os.getpid()}/task/{get_native_id()}/children")
    return set(path.read_text(encoding="utf-8").split())


def module_of(count: int, inner: int = 0) -> ToyOp:
    """Return a module with functions, also in a module inside."""
    functions = ",".join(f"toy.func @f{i}" for i in range(count))
    inside = ",".join(f"toy.func @g{i}" for i in range(inner))
    inner_module = f"toy.module @inner({inside})" if inner else "toy.module @inner"
    return parse_toy(f"toy.module({inner_module},{functions})")


def run(
    strategy: Sequential,
    manager: OpPassManager,
    module: ToyOp,
    adapter: ToyAdapter | None = None,
) -> tuple[Outcome, list[str], str]:
    """Run a pipeline; return how it went, what was reported, and the IR."""
    reported: list[str] = []
    compiler = PipelineCompiler(adapter or ToyAdapter(), set[str]())
    this = Run(compiler, Instrumentor(), lambda each: reported.append(str(each)), strategy=strategy)
    return this.run(compiler.schedule(manager), module), reported, str(module)


def plain(found: Outcome) -> tuple[Any, ...]:
    """Return all of an outcome in a form that compares."""
    failures = [(str(each), each.kind, each.path, each.symbol) for each in found.failures]
    return found.changed, failures, [*map(str, found.diagnostics)], dict(found.counts)


def declare(monkeypatch: pytest.MonkeyPatch, kind: type[Pass[Any]]) -> None:
    """Let a class say for a while, as its body may, that its passes can be run by any process."""
    monkeypatch.setattr(kind, "can_fork", True)


class Sleep(Pass):
    """Say which process this is, and sleep for a minute."""

    name = "sleep"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        os.write(1, b"%d\n" % os.getpid())
        time.sleep(60)
