"""Siblings on threads: everything is as if they had been processed one by one."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, BrokenBarrierError, get_ident, local
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest
from sibling_passes import Again, module_of, run
from toy_steps import step

from passel import OpPassManager, Pass, PassContext, PassInstrumentation, PassManager
from passel.execution.strategies import Sequential
from passel.execution.strategies.executors import Threads
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.schedule import Step


class Meet(Pass):
    """Give an op the value 1 if another thread is in this pass at the same time, else 2."""

    name = "meet"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Wait for the other."""
        try:
            BARRIER.wait(0.3)
            op.value = 1
        except BrokenBarrierError:
            op.value = 2
            BARRIER.reset()


BARRIER = Barrier(2)


class MeetAlone(Meet):
    """The same, of a pass that says that it is not for several threads."""

    name = "meet-alone"
    can_thread = False


class Size:
    """How many ops are in an op, an analysis that is counted."""

    computed: list[str] = []  # noqa: RUF012 - of all threads

    def __init__(self, op: ToyOp) -> None:
        sleep(0.001)
        Size.computed.append(op.symbol or "")
        self.size = len(op.body)


class Ask(Pass):
    """Ask for the size of an op, and for that of the enclosing op if it is cached."""

    name = "ask"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        enclosing = ctx.parent_analysis(Size)
        op.value = ctx.analysis(Size).size + (0 if enclosing is None else 100 * enclosing.size)
        ctx.preserve(Size)


def funcs(*passes: Pass, jobs: int | None = None) -> OpPassManager:
    """Return a pipeline for functions, of which so many may be processed at once."""
    return OpPassManager("toy.func", jobs=jobs).add(*passes)


NESTS = {
    "threads": ([funcs(Meet())], 8, True),
    "inside a limited one": ([OpPassManager("toy.module", jobs=1).add(funcs(Meet()))], 8, True),
    "refused by a pass": ([funcs(MeetAlone())], 3, False),
    "limited": ([funcs(Meet(), jobs=1)], 3, False),
    "the lower limit": ([funcs(Meet(), jobs=4), funcs(Again(), jobs=1)], 3, False),
}


@pytest.mark.parametrize(("pipelines", "ops", "is_shared"), NESTS.values(), ids=NESTS)
def test_threads_work_at_once(pipelines: list[OpPassManager], ops: int, is_shared: bool) -> None:
    """Two threads are in a pass at the same time, unless a pass or a manager forbids it."""
    manager = OpPassManager("toy.module").add(*pipelines)
    _, _, text = run(Threads(2), manager, module_of(ops, ops))
    assert text.count(" 1" if is_shared else " 2") == ops


def test_analyses_are_those_of_one_thread() -> None:
    """Each op's is computed once, and that of the enclosing op can be read."""

    def before(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Size)
        ctx.analyses.child_analysis(Size, op.body[3])
        ctx.preserve_all()

    found: list[Any] = []
    for strategy in (Sequential(), Threads(3)):
        Size.computed.clear()
        manager = OpPassManager("toy.module").add(step(before)).add_nested("toy.func", Ask(), Ask())
        outcome, _, text = run(strategy, manager, module_of(20))
        assert not outcome.failures
        found.append((sorted(Size.computed), text))
    assert found[0] == found[1]
    assert len(found[0][0]) == 21


class Raises(PassInstrumentation):
    """Raises in its hooks."""

    def split(self) -> PassInstrumentation:
        """Return itself."""
        return self

    def before_pass(self, step: Step, op: Any) -> None:
        """Raise it."""
        raise ValueError("broken")


def test_what_raises_in_several_threads_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """It is called in no thread any more."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Again())
    manager.add_instrumentation(Raises())
    with ThreadPoolExecutor(2) as pool:
        manager.run(module_of(8), executor=pool)
    assert sum("Raises failed" in each for each in caplog.messages) == 1


def test_what_threads_did_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An adapter needs no ability for threads: nothing is decoded, or done twice."""
    monkeypatch.delattr(ToyAdapter, "decode_changes")
    run(Threads(2), OpPassManager("toy.module").add(funcs(Again())), module_of(4))
    assert caplog.messages == []


def test_an_executor_is_checked() -> None:
    """Something else is refused, and so is an odd number."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Again())
    wrong: Any = "threads"
    with pytest.raises(TypeError, match="expected an executor"):
        manager.run(module_of(4), executor=wrong)
    with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match="positive number, not 0"):
        manager.run(module_of(4), jobs=0, executor=pool)


INTERRUPTED = """
import os, signal, sys, time
from passel import Pass, PassManager
from passel.testing import ToyAdapter, parse_toy
from concurrent.futures import Future, ThreadPoolExecutor

class Spin(Pass):
    name = "spin"
    def run(self, op, ctx):
        os.write(1, b"in\\n")
        time.sleep(0.5)

manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Spin())
signal.signal(signal.SIGINT, signal.default_int_handler)
started = 0
with ThreadPoolExecutor(2) as pool:
    try:
        manager.run(parse_toy("toy.module(toy.func,toy.func,toy.func,toy.func)"), executor=pool)
    except KeyboardInterrupt:
        started = time.monotonic()
        pool.submit(print, "interrupted").result(1)  # the threads are free again
"""


def test_ctrl_c_ends_the_work_of_threads() -> None:
    """An interrupt ends the run after the ops that are in work, and the pool can be used again."""
    command = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["in\n", "in\n"]
        sleep(0.2)  # an interrupt while tasks are submitted may break the pool's own locks
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    assert rest == "interrupted\n"
    assert process.returncode == 0


class InContexts(ToyAdapter):
    """Answers for an IR that has a current context for each thread."""

    def __init__(self) -> None:
        super().__init__()
        self.current = local()

    @contextmanager
    def in_context(self, context: Any) -> Generator[None]:
        """Make a context the current one."""
        self.current.context = context
        try:
            yield
        finally:
            self.current.context = None


def test_threads_are_in_the_context_of_the_run() -> None:
    """Where an IR has a current context, passes find theirs on whatever thread they run."""
    adapter, threads = InContexts(), set[int]()

    def look(op: ToyOp, ctx: PassContext) -> None:
        assert adapter.current.context is ctx.ir_context
        threads.add(get_ident())

    manager = PassManager("toy.module", adapter.create_context(), adapter=adapter)
    manager.add_nested("toy.func", step(look))
    with ThreadPoolExecutor(2) as pool:
        manager.run(module_of(16), executor=pool)
        assert get_ident() not in threads
        left = [pool.submit(getattr, adapter.current, "context", None) for _ in range(2)]
        assert [each.result() for each in left] == [None, None]
