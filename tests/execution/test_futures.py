"""Siblings on the workers of executors: everything is as if they had been processed one by one."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import slow_pass
from sibling_passes import (
    Act,
    Again,
    Die,
    Meddle,
    MeddleFarOut,
    TellProcess,
    everything,
    is_elsewhere,
    module_of,
    plain,
    run,
)

from passel import OpPassManager, Pass, PassContext, PassInstrumentation, PassManager
from passel.execution.strategies import Sequential
from passel.execution.strategies.futures import Futures
from passel.execution.strategies.versions import Versions
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.schedule import Step


@pytest.fixture(scope="module")
def pools() -> Generator[Callable[[str], ProcessPoolExecutor]]:
    """Pools of two processes by how these start, for all tests of this file."""
    made: dict[str, ProcessPoolExecutor] = {}

    def pool(method: str) -> ProcessPoolExecutor:
        if method not in made:
            made[method] = ProcessPoolExecutor(2, get_context(method))
        return made[method]

    yield pool
    for each in made.values():
        each.shutdown()


@pytest.fixture
def pool(pools: Callable[[str], ProcessPoolExecutor]) -> ProcessPoolExecutor:
    """A pool of two processes that know no more than what they import."""
    return pools("spawn")


@pytest.fixture
def fresh() -> Generator[ProcessPoolExecutor]:
    """A pool of processes that may die."""
    with ProcessPoolExecutor(2, get_context("fork")) as made:
        yield made


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_everything_is_the_same(
    pools: Callable[[str], ProcessPoolExecutor], method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """IR, failures, diagnostics and counts are those of one after the other, in program order."""
    for seed in range(1, 9):
        assert everything(Futures(pools(method)), seed) == everything(Sequential(), seed)
    assert not caplog.messages


def test_changes_further_out_are_found(pool: ProcessPoolExecutor) -> None:
    """What a pass changes two levels up, in what its worker has, fails as it does here."""
    manager = OpPassManager("toy.module")
    manager.nest("toy.module").nest("toy.func").add(MeddleFarOut())
    expected = run(Sequential(), manager, module_of(2, 12))
    found = run(Futures(pool), manager, module_of(2, 12))
    assert plain(found[0]) == plain(expected[0])
    assert found[2] == expected[2]
    assert expected[0].failures


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_other_processes_do_the_work(
    pools: Callable[[str], ProcessPoolExecutor], method: str
) -> None:
    """Ops are changed here as they were changed there."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", TellProcess())
    module = module_of(8)
    manager.run(module, executor=pools(method))
    assert str(module).count(" 1") == 8
    manager.run(module, executor=pools(method), jobs=1)
    assert str(module).count(" 1") == 8


def test_a_level_can_be_kept_here(pool: ProcessPoolExecutor) -> None:
    """`nest(jobs=1)` is for its own level."""
    manager = OpPassManager("toy.module")
    manager.nest("toy.func", jobs=1).add(TellProcess())
    manager.nest("toy.module", jobs=1).nest("toy.func").add(TellProcess())
    _, _, text = run(Futures(pool), manager, module_of(4, 4))
    assert (text.count(" 1"), text.count(" 2")) == (4, 4)


class Trespass(Pass):
    """Change the enclosing op."""

    name = "trespass"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        assert op.parent is not None
        op.parent.value += 1


def test_what_is_lost_is_done_by_few_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each does all of a share up to an op that ends it."""
    forked: list[int] = []
    usual = os.fork

    def count() -> int:
        forked.append(pid := usual())
        return pid

    module = module_of(40)
    module.body[11].value = 3
    manager = OpPassManager("toy.module").add_nested("toy.func", Die())
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        pool.submit(os.getpid).result()
        monkeypatch.setattr(os, "fork", count)
        outcome, _, _ = run(Futures(pool), manager, module)
    assert [failure.symbol for failure in outcome.failures] == ["f10"]
    assert [op.value for op in module.body[1:]] == [3 if i == 10 else 10 for i in range(40)]
    # One for each of eight shares, at most, and for the ops before and behind that one.
    assert len(forked) <= 10


def test_what_is_lost_is_done_here_where_no_process_starts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is left undone, and the log says what is the matter."""

    def refuse() -> int:
        raise BlockingIOError("no more processes")

    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    with ProcessPoolExecutor(2) as pool:
        pass  # shut down
    monkeypatch.setattr(os, "fork", refuse)
    _, _, text = run(Futures(pool), manager, module_of(8))
    assert text.count(" 2") == 8
    assert caplog.messages[0].startswith("a worker is gone (")
    assert caplog.messages[1] == "no worker processes: no more processes"


def test_what_is_lost_is_done_here_where_no_process_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some systems start processes only."""
    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    with ProcessPoolExecutor(2) as pool:
        pass  # shut down
    monkeypatch.delattr(os, "fork")
    _, _, text = run(Futures(pool), manager, module_of(8))
    assert text.count(" 2") == 8


class Collect(Pass):
    """Collect garbage, and count what was collected that is of another process."""

    name = "collect"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        before = Inherited.ended
        gc.collect()
        op.value = Inherited.ended - before


class Inherited:
    """Garbage that only a collection finds."""

    ended = 0

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        Inherited.ended += 1


def test_objects_of_another_process_are_not_collected() -> None:
    """Destructors of such may wait for threads that only the process has that has made them."""
    manager = OpPassManager("toy.module").add_nested("toy.func", Collect())
    module = module_of(4)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            Inherited()
        with ProcessPoolExecutor(2, get_context("fork")) as pool:
            run(Futures(pool), manager, module)
    finally:
        gc.enable()
    assert [op.value for op in module.body[1:]] == [0] * 4
    gc.collect()
    assert Inherited.ended == 3


@pytest.mark.parametrize("kind", [Meddle, Trespass])
def test_changes_outside_of_an_op_are_found(pool: ProcessPoolExecutor, kind: type[Pass]) -> None:
    """What a pass does to another op fails as it does without workers."""
    manager = OpPassManager("toy.module").add_nested("toy.func", kind())
    expected = run(Sequential(), manager, module_of(12))
    found = run(Futures(pool), manager, module_of(12))
    assert (plain(found[0]), found[2]) == (plain(expected[0]), expected[2])
    assert expected[0].failures


class Size:
    """How many ops are in an op."""

    def __init__(self, op: ToyOp) -> None:
        self.size = len(op.body)


class Know(Pass):
    """Compute how many ops are in an op, and keep it."""

    name = "know"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        ctx.analysis(Size)
        ctx.preserve_all()


class AskAround(Pass):
    """Give an op the size of the enclosing op if that is known."""

    name = "ask-around"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        enclosing = ctx.parent_analysis(Size)
        op.value = 1000 + is_elsewhere() if enclosing is None else enclosing.size


def test_analyses_of_the_op_around_can_be_read(pool: ProcessPoolExecutor) -> None:
    """Passes that read what is cached run here; others run there."""
    know = OpPassManager("toy.module").add(Know()).add_nested("toy.func", AskAround())
    _, _, text = run(Futures(pool), know, module_of(8))
    assert text.count(" 9") == 8
    forget = OpPassManager("toy.module").add_nested("toy.func", AskAround())
    _, _, text = run(Futures(pool), forget, module_of(8))
    assert text.count(" 1001") == 8


class Notes(PassInstrumentation):
    """Notes which pass runs on which op."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def before_pass(self, step: Step, op: ToyOp) -> None:
        """Note it, with the op's identity and those of its enclosing ops."""
        self.seen.append(f"{step.path} {op.symbol} {self.run.identify(op)}")

    def split(self) -> Notes:
        """Return one for a part."""
        return Notes()

    def merge(self, child: PassInstrumentation) -> None:
        """Add what it has noted."""
        assert isinstance(child, Notes)
        self.seen += child.seen


def test_instrumentations_see_all_in_program_order(pool: ProcessPoolExecutor) -> None:
    """Steps and ops, with all that encloses these, are those of one process."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    modules = manager.nest("toy.module", jobs=1)
    modules.add_nested("toy.func", Again(), TellProcess())
    found: list[list[str]] = []
    for executor in (None, pool):
        notes = Notes()
        with manager.instrument(notes):
            manager.run(module_of(2, 9), executor=executor)
        found.append(notes.seen)
    assert found[0] == found[1]
    assert len(set(found[0])) == len(found[0]) == 20


class Failing(Notes):
    """Cannot take over what has been observed elsewhere."""

    def merge(self, child: PassInstrumentation) -> None:
        """Fail."""
        raise ValueError("no")


def test_an_instrumentation_that_cannot_merge_does_not_matter(
    pool: ProcessPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    """Other processes do the work; one whose `merge` raises is disabled."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", TellProcess())
    module = module_of(8)
    with manager.instrument(Failing()):
        manager.run(module, executor=pool)
    assert str(module).count(" 1") == 8
    assert caplog.messages == ["instrumentation Failing raised and is disabled for this run"]


def test_passes_that_others_cannot_import_stay_here(
    pool: ProcessPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    """It is said once, in a line, and all is done here."""

    class Local(TellProcess):
        name = "local"

    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Local())
    module = module_of(4)
    manager.run(module, executor=pool)
    assert str(module).count(" 2") == 4
    (message,) = caplog.messages
    assert message.startswith("no workers of an executor: ")
    assert "Local" in message
    assert "\n" not in message


MAIN = """
import logging
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from passel import Pass, PassManager
from passel.testing import ToyAdapter, parse_toy

class Grow(Pass):
    name = "grow"
    def run(self, op, ctx):
        op.value += 1

if __name__ == "__main__":
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Grow())
    module = parse_toy("toy.module(toy.func,toy.func)")
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        manager.run(module, executor=pool)
    print(module)
"""


def test_passes_of_the_main_program_stay_here(tmp_path: Path) -> None:
    """A script that defines its passes works, with a line that says why nothing is gained."""
    script = tmp_path / "script.py"
    script.write_text(MAIN, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "toy.module(toy.func 1,toy.func 1)\n"
    assert done.stderr == (
        "no workers of an executor: Grow is defined in the main program, not in a module\n"
    )


@pytest.mark.parametrize(("value", "how"), [(1, "was killed by SIGSEGV"), (2, "exit code 3")])
def test_an_op_that_kills_workers_is_named(
    fresh: ProcessPoolExecutor, value: int, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    """All others are processed, by processes of the run's own when the pool is broken."""
    manager = OpPassManager("toy.module").add_nested("toy.func", Die())
    module = module_of(6)
    module.body[3].value = value
    outcome, _, _ = run(Futures(fresh), manager, module)
    assert [(each.symbol, each.kind) for each in outcome.failures] == [("f2", "crashed")]
    assert how in outcome.failures[0].diagnostic.message
    assert [op.value for op in module.body[1:]] == [value if i == 2 else 10 for i in range(6)]
    assert all("its share is run again" in message for message in caplog.messages)


def test_a_worker_of_another_version_is_refused(
    pools: Callable[[str], ProcessPoolExecutor],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The difference is named once, and the work is done here."""
    pool = pools("fork")
    pool.submit(os.getpid).result()
    monkeypatch.setattr("passel.execution.strategies.versions.__version__", "9.9")
    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    _, _, text = run(Futures(pool), manager, module_of(16))
    assert text.count(" 2") == 16
    (message,) = caplog.messages
    assert re.fullmatch(r"a worker refused its share: passel is \S+ there and 9\.9 here", message)


def test_a_worker_with_former_code_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What a worker has imported is not what the file holds now, whichever module it is."""
    helper = tmp_path / "helper_of_workers.py"
    helper.write_text("V = 1")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        pool.submit(__import__, "helper_of_workers").exception()  # modules cannot be sent
        run(Futures(pool), manager, module_of(16))
        assert not caplog.messages
        helper.write_text("V = 2")
        *_, text = run(Futures(pool), manager, module_of(16))
    assert text.count(" 2") == 16
    (message,) = caplog.messages
    assert message.endswith("helper_of_workers has changed since it was imported there")


def test_versions_of_the_ir_and_of_plugins_count() -> None:
    """The IR's packages, and modules with passes, by what they say and by their sources."""

    class OtherAdapter(ToyAdapter):
        """Says that the IR has a version."""

        def versions(self) -> dict[str, str]:
            """Return another one each time."""
            return {"toys": next(numbers)}

    numbers = iter("123")
    versions = Versions.here(OtherAdapter(), [Act()])
    assert list(versions.modules) == ["sibling_passes"]
    assert re.fullmatch(r"of this source \([0-9a-f]{8}\)", versions.modules["sibling_passes"])
    assert versions.difference_here(OtherAdapter) == "toys is 2 there and 1 here"
    plugin = versions._replace(ir={}, modules={"sibling_passes": "old", "no_such_module": "1"})
    assert "sibling_passes is of this source (" in plugin.difference_here(OtherAdapter)
    absent = versions._replace(ir={}, modules={"no_such_module": "1"})
    assert absent.difference_here(OtherAdapter) == "no_such_module is missing there and 1 here"


INTERRUPTED = """
import signal, sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from passel import PassManager
from passel.testing import ToyAdapter, parse_toy
from slow_pass import Sleep

if __name__ == "__main__":
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Sleep())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with ProcessPoolExecutor(2, get_context(sys.argv[1])) as pool:
        try:
            manager.run(parse_toy("toy.module(toy.func,toy.func,toy.func,toy.func)"), executor=pool)
        except KeyboardInterrupt:
            print("interrupted")
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_ctrl_c_ends_the_workers_of_a_pool(method: str, tmp_path: Path) -> None:
    """An interrupt ends the run at once, and leaves no process behind."""
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED, encoding="utf-8")
    paths = os.pathsep.join([str(Path(slow_pass.__file__).parent), *filter(None, sys.path)])
    with subprocess.Popen(
        [sys.executable, script, method],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        assert process.stdout is not None
        workers = [int(process.stdout.readline()) for _ in range(2)]
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        rest, _ = process.communicate(timeout=20)
        assert time.monotonic() - started < 10  # a second on an idle machine
    assert rest == "interrupted\n"
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
