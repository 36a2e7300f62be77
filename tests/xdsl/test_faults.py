"""Whatever passes do to the process that they run in, no op is lost, and the run ends cleanly."""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import Mock

import pytest
from faulty_passes import DEADLY, RAISED, SURVIVED, Faulty, Mark
from sibling_passes import children
from xdsl.dialects.builtin import ModuleOp

from passel import Diagnostic, PassFailedError, PassManager
from passel.execution.strategies import Sequential, fork
from passel.execution.strategies.executors import OnExecutor
from passel.execution.strategies.fork import Forked
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


LIMIT = 30
"""Seconds that no run takes, on the slowest machine, unless it hangs."""

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "50"))
"""How often each fault comes in a sweep."""

SOURCE = "\n".join(
    [
        *(f"func.func @f{number}() {{ func.return }}" for number in range(10)),
        "builtin.module @inner {",
        *(f"func.func @g{number}() {{ func.return }}" for number in range(4)),
        "}",
        "func.func @last() { func.return }",
    ]
)


class Found(NamedTuple):
    """All that a run says.

    Attributes:
        raised: What it raised, as text.
        failures: Its failures: symbol, kind and text of each.
        reported: The diagnostics.
        text: The IR.
    """

    raised: str
    failures: list[tuple[str | None, str, str]]
    reported: list[str]
    text: str


@contextmanager
def limited() -> Generator[None]:
    """Let what is in a `with` statement leave no process behind, and not hang."""
    before, late = children(), threading.Event()
    tasks = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children")

    def end() -> None:
        late.set()
        for pid in set(tasks.read_text(encoding="utf-8").split()) - before:
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    timer: Any = threading.Timer(LIMIT, end)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    assert not late.is_set(), "it hangs"
    assert children() == before, "a process is left behind"


@contextmanager
def strategy_named(name: str) -> Generator[Sequential]:
    """Make a strategy that shares even little work."""
    if name == "pool":
        with ProcessPoolExecutor(2, get_context("fork")) as pool:
            yield OnExecutor(None, pool)
    else:
        yield Forked(2) if name == "workers" else Sequential()


def run(name: str, how: str) -> Found:
    """Run a nested pipeline in which a pass is faulty."""
    context = XDSLAdapter().create_context()
    module = parse_source(context, SOURCE, "faults.mlir")
    assert isinstance(module, ModuleOp)
    manager = PassManager(ModuleOp, context)
    passes = Mark(), Faulty(how=how), Mark()
    manager.nest("func.func").add(*passes)
    manager.nest(ModuleOp).nest("func.func").add(*passes)
    reported: list[Diagnostic] = []
    raised, failures = "", []
    with limited(), strategy_named(name) as strategy, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fork, "_threads", lambda: 1)  # the timer's thread does no harm
        patch.setattr("passel.manager.pass_manager.strategy_for", Mock(return_value=strategy))
        try:
            manager.run(module, on_diagnostic=reported.append)
        except (PassFailedError, KeyboardInterrupt, SystemExit) as error:
            raised = f"{type(error).__name__}: {error}"
            found = error.failures if isinstance(error, PassFailedError) else ()
            failures = [
                (each.symbol, each.kind, f"{each} {each.diagnostic.origin}") for each in found
            ]
    return Found(raised, failures, list(map(str, reported)), str(module))


def check_death(name: str, how: str) -> None:
    """Check that ops whose process has died are named and untouched, and the others done."""
    found = run(name, how)
    assert [each[:2] for each in found.failures] == [("f2", "crashed"), ("inner", "crashed")]
    for _, _, text in found.failures:
        assert f"the process that ran passes on it {DEADLY[how][1]}" in text
        assert "in pass 'faulty{how=" in text
    assert found.text.count("marks = #builtin.int<2>") == 10
    assert found.text.count("marks") == 10
    assert found.text.count("func.func") == 15


def check_raised(name: str, how: str) -> None:
    """Check that all is as in one process."""
    found = run(name, how)
    assert found == run("sequential", how)
    assert bool(found.raised) == (how != "held attribute")


def check_survived(name: str, how: str) -> None:
    """Check that all is as if nothing had happened."""
    assert run(name, how) == run("sequential", how)


def check(name: str, how: str) -> None:
    """Check what is promised of a fault."""
    if how in DEADLY:
        check_death(name, how)
    elif how in SURVIVED:
        check_survived(name, how)
    else:
        check_raised(name, how)


FAULTS = [*DEADLY, *RAISED, "held attribute", *SURVIVED]


@pytest.mark.parametrize("how", FAULTS)
def test_a_fault_in_a_worker(how: str) -> None:
    """It is reported as promised, and nothing else is different."""
    check("workers", how)


@pytest.mark.parametrize("how", ["memory", "interrupt"])
def test_a_fault_in_a_pool(how: str) -> None:
    """The same holds for the workers of an executor."""
    check("pool", how)


@contextmanager
def ignoring_children() -> Generator[None]:
    """Reap processes before their parent can, as some daemons do."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_death_of_which_nobody_knows() -> None:
    """Where SIGCHLD is ignored, the op whose process has died is named all the same."""
    with ignoring_children():
        found = run("workers", "kill -9")
    assert [each[:2] for each in found.failures] == [("f2", "crashed"), ("inner", "crashed")]
    for _, _, text in found.failures:
        assert "the process that ran passes on it exited with an unknown status" in text


@pytest.mark.parametrize(
    ("what", "after", "number"),
    [
        ("os.fork", 0, 0),
        ("os.fork", 1, 1),
        ("tempfile.TemporaryFile", 0, 0),  # for the numbers of what is to be done
        ("tempfile.TemporaryFile", 1, 0),
        ("tempfile.TemporaryFile", 2, 1),
    ],
)
def test_the_system_gives_no_more(
    what: str,
    after: int,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With fewer workers, or none, all is done by those that there are; the log says why."""
    module, _, name = what.partition(".")
    usual: Callable[..., object] = getattr(sys.modules[module], name)
    left = [*range(after)]
    assert tempfile  # imported, to be found

    def refuse(*how: object) -> object:
        if not left:
            raise OSError(errno.EMFILE, "Too many open files")
        left.pop()
        return usual(*how)

    expected = run("sequential", "memory")
    monkeypatch.setattr(what, refuse)
    found = run("workers", "memory")
    monkeypatch.undo()
    assert found == expected
    assert caplog.messages[0].startswith(f"started only {number} of ")


@pytest.mark.sweep
@pytest.mark.parametrize("how", FAULTS)
def test_faults_again_and_again(how: str) -> None:
    """The same holds each time."""
    for _ in range(ROUNDS):
        check("workers", how)


def test_a_pool_that_loses_a_process() -> None:
    """Each op of the shares that are lost with it has failed, by the pool's own words."""
    found = run("pool", "fatal to be pickled")
    assert ("f2", "crashed") in [each[:2] for each in found.failures]
    assert all("BrokenProcessPool" in text for _, _, text in found.failures)
