"""Siblings in worker processes: everything is as if they had been processed one by one."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from sibling_passes import Again, TellProcess, is_elsewhere, module_of, run

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassInstrumentation,
    PassManager,
)
from passel.execution.siblings import Siblings
from passel.execution.strategies import Sequential, fork, strategy_for
from passel.execution.strategies.fork import Forked
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from passel.schedule import Step


def test_jobs_of_a_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    """`run` takes a number, and so does the environment; both are checked."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Again())
    assert manager.run(module_of(4), jobs=2).changed is False
    monkeypatch.setenv("PASSEL_JOBS", "3")
    strategy = strategy_for(None)
    assert isinstance(strategy, Forked)
    assert strategy.jobs == 3
    for wrong in ("x", "-1", "0", "1.5"):
        monkeypatch.setenv("PASSEL_JOBS", wrong)
        with pytest.raises(ValueError, match=f"PASSEL_JOBS takes .* or auto, not '{wrong}'"):
            manager.run(module_of(4))
    for number in list[Any]((0, "2")):
        with pytest.raises(ValueError, match=f"jobs must be a positive number, not {number!r}"):
            manager.run(module_of(4), jobs=number)


class Counting(PassInstrumentation):
    """Counts passes, in this process alone."""

    count = 0

    def before_pass(self, step: Step, op: Any) -> None:
        """Count."""
        self.count += 1


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("observer", "Counting can observe passes only in the calling thread"),
        ("gate", "gates run only in the calling thread"),
        ("adapter", "the adapter for 'toy' does not implement SendsOps"),
    ],
)
def test_what_cannot_follow_keeps_everything_here(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, what: str, why: str
) -> None:
    """Observers without `split`, gates and adapters may need one process; the reason is said once."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", TellProcess())
    counting = Counting()
    match what:
        case "observer":
            manager.add_instrumentation(counting)
        case "gate":
            manager.add_gate(lambda step, _: bool(step.path))
        case _:
            monkeypatch.setattr(fork, "SendsOps", str)
    for _ in range(2):
        module = module_of(8)
        manager.run(module, jobs=2)
        assert str(module).count(" 2") == 8
    assert counting.count == (18 if what == "observer" else 0)
    assert caplog.messages == [f"not using worker processes: {why}"]


LOST = "which a fork would not have"


class UsePool(Pass[Any, ThreadPoolExecutor]):
    """Report the process, and have a thread do nothing."""

    name = "use-pool"

    def initialize(self, ir_context: Any) -> ThreadPoolExecutor:
        """Return the thread, which starts when it is used first."""
        return ThreadPoolExecutor(1)

    def run(self, op: ToyOp, ctx: PassContext[ThreadPoolExecutor]) -> None:
        """Do it."""
        ctx.state.submit(str).result()
        op.value = 1 if is_elsewhere() else 2


def test_a_process_with_threads_is_not_forked(caplog: pytest.LogCaptureFixture) -> None:
    """What waits in a worker for a thread that this process has would wait for ever."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", UsePool())
    manager.run(module_of(1))
    for _ in range(2):
        module = module_of(8)
        manager.run(module, jobs=2)
        assert str(module).count(" 2") == 8
    (message,) = caplog.messages
    assert message.startswith("not using worker processes: this process has other threads (")
    assert "ThreadPoolExecutor" in message


@pytest.mark.parametrize(
    ("start", "log"),
    [
        ("import numpy", ""),  # OpenBLAS ends its threads before a fork
        (
            "import faulthandler; faulthandler.dump_traceback_later(100)",
            f"not using worker processes: this process has other threads (of a library), {LOST}\n",
        ),
    ],
)
def test_threads_of_libraries(start: str, log: str) -> None:
    """A process is not forked if a library has threads, but for one that ends them before."""
    code = f"""{start}
from sibling_passes import *
from passel import PassManager
module = module_of(8)
PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", TellProcess()).run(
    module, jobs=2)
print(str(module).count(" 1"))
"""
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    there.pop("PASSEL_TESTS_RUN_IN")
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, check=False, text=True, env=there)
    assert (done.stdout, done.stderr) == ("0\n" if log else "8\n", log)


def test_automatic(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are processors, if there are several, in Python and from the environment."""
    monkeypatch.setattr("passel.execution.strategies.processors", lambda: 3)
    monkeypatch.setenv("PASSEL_JOBS", "auto")
    for strategy in (strategy_for("auto"), strategy_for(None)):
        assert isinstance(strategy, Forked)
        assert strategy.jobs == 3
    monkeypatch.setattr("passel.execution.strategies.processors", lambda: 1)
    assert isinstance(strategy_for("auto"), Sequential)


def test_a_failure_of_a_worker_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What a worker raises outside of passes is said, and its work is done again."""

    def fail(_: object) -> None:
        raise ValueError("a worker's own")

    monkeypatch.setattr(Siblings, "only_own_ops", fail)
    manager = OpPassManager("toy.module").add_nested("toy.func", Again())
    assert len(run(Forked(2), manager, module_of(8))[1]) == 8
    assert "and its work is repeated: ValueError: a worker's own" in caplog.text
