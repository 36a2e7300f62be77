"""Siblings on the workers of executors: everything is as if they had been processed one by one."""

from __future__ import annotations

import copyreg
import importlib
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sibling_passes
from sibling_passes import (
    Again,
    Die,
    Meddle,
    MeddleFarOut,
    TellProcess,
    is_elsewhere,
    module_of,
    plain,
    run,
)
from toy_steps import keep

from passel import OpPassManager, Pass, PassContext, PassManager
from passel.execution.strategies import Sequential
from passel.execution.strategies.executors import OnExecutor
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from concurrent.futures import Executor


# Dask's threads and sockets outlive it for a moment.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def executors() -> Generator[Callable[[str], Executor]]:
    """Executors of two workers by their kinds, for all tests of this file."""
    made: dict[str, ProcessPoolExecutor] = {}
    with two_workers(Path(sibling_passes.__file__).parent) as client:

        def executor(kind: str) -> Executor:
            if kind == "dask":
                return client.get_executor()
            if kind not in made:
                made[kind] = ProcessPoolExecutor(2, get_context(kind))
            return made[kind]

        yield executor
        for each in made.values():
            each.shutdown()


@pytest.fixture
def pool(executors: Callable[[str], Executor]) -> Executor:
    """A pool of two processes that know no more than what they import."""
    return executors("spawn")


KINDS = pytest.mark.parametrize("kind", ["spawn", "fork", "dask"])


@KINDS
def test_other_processes_do_the_work(executors: Callable[[str], Executor], kind: str) -> None:
    """Ops are changed here as they were changed there, also in one share at a time."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", TellProcess())
    for jobs in (None, 1):
        module = module_of(8)
        manager.run(module, executor=executors(kind), jobs=jobs)
        assert str(module).count(" 1") == 8


class Trespass(Pass):
    """Change the enclosing op."""

    name = "trespass"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        assert op.parent is not None
        op.parent.value += 1


@pytest.mark.parametrize("kind", [Meddle, Trespass, MeddleFarOut])
def test_changes_outside_of_an_op_are_found(pool: Executor, kind: type[Pass]) -> None:
    """What a pass does to another op, however far out, fails as it does without workers."""
    manager = OpPassManager("toy.module").add_nested("toy.func", kind())
    manager.nest("toy.module").nest("toy.func").add(kind())
    expected = run(Sequential(), manager, module_of(12, 12))
    found = run(OnExecutor(None, pool), manager, module_of(12, 12))
    assert (plain(found[0]), found[2]) == (plain(expected[0]), expected[2])
    assert expected[0].failures


class Size:
    """How many ops are in an op."""

    def __init__(self, op: ToyOp) -> None:
        self.size = len(op.body)


class AskAround(Pass):
    """Give an op the size of the enclosing op if that is known."""

    name = "ask-around"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        enclosing = ctx.parent_analysis(Size)
        op.value = 1000 + is_elsewhere() if enclosing is None else enclosing.size


def test_analyses_of_the_enclosing_op_stay_with_it(
    pool: Executor, caplog: pytest.LogCaptureFixture
) -> None:
    """Where some are cached, the work stays here, which is said; else it goes out."""
    know = OpPassManager("toy.module").add(keep(Size)).add_nested("toy.func", AskAround())
    _, _, text = run(OnExecutor(None, pool), know, module_of(8))
    assert text.count(" 9") == 8
    assert caplog.messages == [
        "not using the executor: analyses of the enclosing ops are cached in this process"
    ]
    forget = OpPassManager("toy.module").add_nested("toy.func", AskAround())
    _, _, text = run(OnExecutor(None, pool), forget, module_of(8))
    assert text.count(" 1001") == 8


@pytest.mark.parametrize(
    ("is_observed", "why"),
    [(True, "instrumentations .* only in the calling thread"), (False, ".*Local.*")],
)
def test_what_cannot_go_out_stays_here(
    pool: Executor, caplog: pytest.LogCaptureFixture, is_observed: bool, why: str
) -> None:
    """Observed passes and those that cannot be sent run in this process, which is said in a line."""

    class Local(TellProcess):
        name = "local"

    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", TellProcess() if is_observed else Local())
    if is_observed:
        manager.enable_timing()
    module = module_of(4)
    manager.run(module, executor=pool)
    assert str(module).count(" 2") == 4
    (message,) = caplog.messages
    assert re.fullmatch(f"not using the executor: {why}", message)


def test_what_a_worker_cannot_import_is_done_here(
    executors: Callable[[str], Executor],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The worker refuses its share, and the log says why."""
    (tmp_path / "only_here.py").write_text(
        "from sibling_passes import TellProcess\n"
        "class OnlyHere(TellProcess):\n"
        "    name = 'only-here'\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    pass_: Pass = importlib.import_module("only_here").OnlyHere()
    manager = OpPassManager("toy.module").add_nested("toy.func", pass_)
    _, _, text = run(OnExecutor(None, executors("dask")), manager, module_of(8))
    assert text.count(" 2") == 8
    (message,) = {each.message for each in caplog.records if each.name == "passel"}
    assert message.startswith("a worker rejected its share of the ops: ModuleNotFoundError: ")


def test_a_share_whose_worker_dies_fails() -> None:
    """Its ops are named and untouched; nothing is tried again, and nothing hangs."""
    manager = OpPassManager("toy.module").add_nested("toy.func", Die())
    module = module_of(6)
    module.body[3].value = 1
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        outcome, _, _ = run(OnExecutor(None, pool), manager, module)
    failed = {each.symbol: each for each in outcome.failures}
    assert "f2" in failed
    assert {each.kind for each in outcome.failures} == {"crashed"}
    assert "the process that ran passes on it is gone: BrokenProcessPool: " in str(failed["f2"])
    for op in module.body[1:]:
        assert op.value == (1 if op.symbol == "f2" else 0 if op.symbol in failed else 10)


class Never(ProcessPoolExecutor):
    """Begins nothing, and remembers what it was to do."""

    def __init__(self) -> None:
        super().__init__(2)
        self.futures: list[Future[Any]] = []

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        """Remember it."""
        self.futures.append(Future())
        if len(self.futures) == 4:
            self.futures[0].set_exception(KeyboardInterrupt())
        return self.futures[-1]


def test_an_interrupt_cancels_what_has_not_begun() -> None:
    """The executor is left with no work of the run."""
    manager = OpPassManager("toy.module").add_nested("toy.func", Again())
    executor = Never()
    with pytest.raises(KeyboardInterrupt):
        run(OnExecutor(None, executor), manager, module_of(4))
    assert all(each.cancelled() for each in executor.futures[1:])


INTERRUPTED = """
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import passel.manager.pass_manager as managers
from passel import PassManager
from passel.execution.strategies.fork import Forked
from passel.testing import ToyAdapter, parse_toy
from sibling_passes import Sleep

if __name__ == "__main__":
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Sleep())
    module = parse_toy("toy.module(toy.func,toy.func,toy.func,toy.func)")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        {run}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
IN_FORKS = "managers.strategy_for = lambda *_: Forked(2); manager.run(module)"
IN_POOL = """
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            manager.run(module, executor=pool)
"""


@pytest.mark.parametrize(("run", "is_pool"), [(IN_FORKS, False), (IN_POOL, True)])
def test_ctrl_c_ends_a_run_and_its_workers(tmp_path: Path, run: str, is_pool: bool) -> None:
    """An interrupt, in a terminal also of the workers, ends all of them at once."""
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED.replace("{run}", run.lstrip()), encoding="utf-8")
    paths = os.pathsep.join([str(Path(sibling_passes.__file__).parent), *filter(None, sys.path)])
    with subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        workers = [int(process.stdout.readline()) for _ in range(2)]
        (os.killpg if is_pool else os.kill)(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    assert "interrupted\n" in rest
    assert process.returncode == 0
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


@contextmanager
def two_workers(directory: Path) -> Generator[Any]:
    """Start two workers with one thread each, which can import what is in a directory.

    Yields:
        A client.
    """
    reducers = dict(copyreg.dispatch_table)
    distributed: Any = importlib.import_module("distributed")
    # Its import changes how all exceptions of the process are pickled, which other tests look at.
    copyreg.dispatch_table.clear()
    copyreg.dispatch_table.update(reducers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([str(directory), os.environ.get("PYTHONPATH", "")])
        )
        arguments: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1}
        cluster = distributed.LocalCluster(**arguments, dashboard_address=":0")
        with cluster, distributed.Client(cluster) as made:
            yield made
