"""Siblings in worker processes that are started: everything is as if they were done one by one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import slow_pass
from sibling_passes import Die, TellProcess, everything, is_elsewhere, module_of, plain, run

from passel import OpPassManager, Pass, PassContext
from passel.execution.strategies import Sequential, cost_model, started
from passel.execution.strategies.started import Started
from passel.testing import ToyAdapter, ToyOp

EAGER = Started(2, eager=True)


@pytest.mark.parametrize("jobs", [2, 3])
def test_everything_is_the_same(jobs: int, caplog: pytest.LogCaptureFixture) -> None:
    """IR, failures, diagnostics and counts are those of one after the other, in program order."""
    for seed in range(1, 9):
        found = everything(Started(jobs, eager=True), seed)
        assert found == everything(Sequential(), seed)
    assert not caplog.messages


class TellNumber(Pass):
    """Give an op the number of this process, and one from the environment."""

    name = "tell-number"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        op.value = 10 * os.getpid() + int(os.environ.get("PASSEL_TEST_NUMBER", "0"))


def numbers(strategy: Started = EAGER) -> set[int]:
    """Return the numbers of the processes that work, with those of the environment."""
    module = module_of(24)
    run(strategy, OpPassManager("toy.module").add_nested("toy.func", TellNumber()), module)
    return {op.value for op in module.body[1:]}


def test_workers_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same processes do the next step, until what they have taken over has changed."""
    before = numbers() | numbers()
    assert len(before) <= 2
    assert os.getpid() * 10 not in before
    monkeypatch.setenv("PASSEL_TEST_NUMBER", "7")
    after = numbers()
    assert {number % 10 for number in after} == {7}
    assert not {number // 10 for number in before} & {number // 10 for number in after}


def test_runs_in_several_threads_share_the_workers() -> None:
    """Neither hinders the other, and no more processes work."""
    with ThreadPoolExecutor(3) as threads:
        runs = [threads.submit(numbers) for _ in range(6)]
    found = set[int]().union(*(each.result() for each in runs))
    assert 10 * os.getpid() not in found
    assert len(found) == 2


class Tick(Pass):
    """Let an hour pass by a clock, and give an op 1 in another process, else 2."""

    name = "tick"
    now = 0.0

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        Tick.now += 3600
        op.value = 1 if is_elsewhere() else 2


@pytest.mark.parametrize(
    ("processors", "sending", "there"), [(2, 0, 16), (4, 0, 26), (1, 0, 0), (2, 1e6, 0)]
)
def test_workers_take_part_where_that_pays(
    monkeypatch: pytest.MonkeyPatch, processors: int, sending: float, there: int
) -> None:
    """By how long tasks and sending them take here; and the first ones are done here."""
    usual = ToyAdapter.ship

    def slow(self: Any, *args: Any) -> Any:
        Tick.now += sending
        return usual(self, *args)

    monkeypatch.setattr(ToyAdapter, "ship", slow)
    monkeypatch.setattr(cost_model, "perf_counter", lambda: Tick.now)
    monkeypatch.setattr(started, "processors", lambda: processors)
    manager = OpPassManager("toy.module").add_nested("toy.func", Tick())
    _, _, text = run(Started(4), manager, module_of(40))
    assert text.count(" 1") >= there
    assert (" 1" in text, " 2" in text) == (there > 0, True)


def test_little_work_stays_here() -> None:
    """It would take longer to start a process."""
    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    _, _, text = run(Started(2), manager, module_of(8))
    assert text.count(" 2") == 8


@pytest.mark.parametrize(
    ("value", "how"), [(1, "was killed by SIGSEGV"), (2, "ended with exit code 3")]
)
def test_an_op_that_kills_workers_is_named(value: int, how: str) -> None:
    """All others are processed."""
    manager = OpPassManager("toy.module").add_nested("toy.func", Die())
    module = module_of(12)
    module.body[5].value = value
    outcome, _, _ = run(EAGER, manager, module)
    assert [(each.symbol, each.kind) for each in outcome.failures] == [("f4", "crashed")]
    assert how in outcome.failures[0].diagnostic.message
    assert [op.value for op in module.body[1:]] == [value if i == 4 else 10 for i in range(12)]
    assert 10 * os.getpid() not in numbers()  # there are workers again


def test_workers_that_are_gone_are_replaced() -> None:
    """The next step has as many as before."""
    for number in numbers():
        os.kill(number // 10, signal.SIGKILL)
        os.waitid(os.P_PID, number // 10, os.WEXITED | os.WNOWAIT)
    assert 10 * os.getpid() not in numbers()


def test_a_worker_that_refuses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Why is said once, and all is done here."""
    monkeypatch.setattr("passel.execution.strategies.versions.__version__", "9.9")
    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    _, _, text = run(EAGER, manager, module_of(32))
    assert text.count(" 2") == 32
    (message,) = caplog.messages
    assert message.startswith("a worker refused its share: passel is ")


def test_passes_that_others_cannot_import(caplog: pytest.LogCaptureFixture) -> None:
    """It is said once for all runs, with the way out, and all is done here."""

    class Local(TellProcess):
        name = "local"

    manager = OpPassManager("toy.module").add_nested("toy.func", Local())
    outcomes = [run(EAGER, manager, module_of(4)) for _ in range(2)]
    assert [text.count(" 2") for *_, text in outcomes] == [4, 4]
    (message,) = caplog.messages
    assert message.startswith("no worker processes: ")
    assert "Local" in message
    assert message.endswith("; define them in a module that other processes can import")


def test_the_outcome_is_plain() -> None:
    """It changes what it changes, and nothing else."""
    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    outcome, _, text = run(EAGER, manager, module_of(8))
    assert text.count(" 1") == 8
    assert plain(outcome)[1:] == ([], [], {})


SCRIPT = """
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in a background job
print("begins", flush=True)
from passel import OpPassManager
from passel.execution.strategies.started import Started
from slow_pass import Say, Sleep
from sibling_passes import module_of, run

kind = {"say": Say, "sleep": Sleep}[sys.argv[1]]
manager = OpPassManager("toy.module").add_nested("toy.func", kind())
try:
    run(Started(2, eager=True), manager, module_of(8))
except KeyboardInterrupt:
    print("interrupted")
print("ends", flush=True)
"""


def begin(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the script, which has no guard against being imported."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    paths = os.pathsep.join([str(Path(slow_pass.__file__).parent), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, script, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def assert_ended(process: int) -> None:
    """Assert that a process ends soon, which nobody waits for."""
    deadline = time.monotonic() + 20
    while Path(f"/proc/{process}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{process}").exists()


def test_a_main_program_is_not_run_again(tmp_path: Path) -> None:
    """It needs no guard, sees what passes print, and leaves no process behind."""
    with begin(tmp_path, "say") as process:
        found, _ = process.communicate(timeout=60)
    first, *said, last = found.splitlines()
    assert (first, last) == ("begins", "ends")
    assert len(said) == 8
    for each in set(map(int, said)):
        assert each != process.pid
        with pytest.raises(ProcessLookupError):
            os.kill(each, 0)


def test_ctrl_c_ends_the_workers(tmp_path: Path) -> None:
    """An interrupt ends the run at once, and leaves no process behind."""
    with begin(tmp_path, "sleep") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        workers = [int(process.stdout.readline()) for _ in range(2)]
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    assert rest == "interrupted\nends\n"
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_workers_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    """Even while they work."""
    with begin(tmp_path, "sleep") as process:
        assert process.stdout is not None
        process.stdout.readline()
        workers = [int(process.stdout.readline()) for _ in range(2)]
        process.kill()
    for worker in workers:
        assert_ended(worker)
