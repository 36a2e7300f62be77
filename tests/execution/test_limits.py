"""Limits of passes: their time."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest
from sibling_passes import TellProcess, children, module_of

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager
from passel.execution.strategies import Sequential, watch
from passel.execution.strategies.forked import Forked
from passel.execution.strategies.futures import Futures
from passel.execution.strategies.placement import Place
from passel.execution.strategies.threads import Threads
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.execution.strategies import SiblingStrategy


class Linger(Pass):
    """Take a while on one op, in one way or another."""

    name = "linger"
    how: str = "sleep"
    on: str = "f2"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        if op.symbol == self.on:
            if self.how == "native":
                sum(range(10**13))
            if self.how == "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            if self.how == "wait":
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
                time.sleep(60)
            with suppress(Exception):  # does not catch what ends it
                end = time.monotonic() + 30
                while time.monotonic() < end:
                    time.sleep(30 if self.how == "sleep" else 0.001)
        op.value += 1


class Outer(Pass):
    """Run a pass that takes a while inside of it."""

    name = "outer"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it, twice."""
        time.sleep(0.06)
        ctx.run_pipeline(OpPassManager("any").add(Nap()))
        time.sleep(0.06)
        op.value += 1


class Nap(Pass):
    """Take less than the limit."""

    name = "nap"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        time.sleep(0.15)


@pytest.fixture(params=["sequential", "fork", "threads", "pool", "pool of threads"])
def strategy(request: pytest.FixtureRequest) -> Generator[SiblingStrategy]:
    """Each strategy."""
    match request.param:
        case "sequential":
            yield Sequential()
        case "fork":
            yield Forked(2, eager=True)
        case "threads":
            yield Threads(2)
        case "pool":
            with ProcessPoolExecutor(2, get_context("fork")) as pool:
                yield Futures(pool)
        case _:
            with ThreadPoolExecutor(1) as pool:  # Futures in another thread than the main one
                yield Futures(pool)


def run(strategy: SiblingStrategy, manager: PassManager, module: ToyOp) -> list[str]:
    """Run with a strategy, and return the failures."""

    def this(jobs: int | None, executor: object = None) -> SiblingStrategy:
        return strategy

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("passel.manager.pass_manager.strategy_for", this)
        try:
            manager.run(module)
        except PassFailedError as error:
            return list(map(str, error.failures))
    return []


def test_a_pass_that_takes_too_long_fails(strategy: SiblingStrategy) -> None:
    """It is ended, pass and op are named, and others are processed."""
    spins = strategy.place is Place.THREADS or isinstance(strategy, Futures)
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", Linger(how="spin" if spins else "sleep"))
    manager.enable_pass_timeout(0.2)
    module, started = module_of(4), time.monotonic()
    (failure,) = run(strategy, manager, module)
    assert time.monotonic() - started < 10
    assert "'toy.func' op pass 'linger" in failure
    assert "it took more than 0.2 s" in failure
    assert [op.value for op in module.body[1:]] == [1, 1, 0, 1]


@pytest.mark.parametrize("kind", ["fork", "pool"])
def test_native_code_that_does_not_return_ends_with_its_process(kind: str) -> None:
    """The op is named, others are processed, and nothing is left behind."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", Linger(how="native"))
    manager.enable_pass_timeout(0.5)
    module, before = module_of(4), children()
    if kind == "fork":
        (failure,) = run(Forked(2, eager=True), manager, module)
    else:
        with ProcessPoolExecutor(2, get_context("fork")) as pool:
            (failure,) = run(Futures(pool), manager, module)
    assert "was ended: a pass took more than 0.5 s, and did not return" in failure
    assert [op.value for op in module.body[1:]] == [1, 1, 0, 1]
    assert children() == before


@pytest.mark.parametrize("how", ["stop", "wait"])
def test_a_worker_that_does_not_go_on_is_ended(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is stopped, or waits in native code, is ended by its parent, and its op is named."""
    monkeypatch.setattr(watch, "_PATIENCE", 0.5)
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", Linger(how=how))
    manager.enable_pass_timeout(0.5)
    module, before = module_of(4), children()
    (failure,) = run(Forked(2), manager, module)
    assert "was ended: a pass took more than 0.5 s, and did not return" in failure
    assert [op.value for op in module.body[1:]] == [1, 1, 0, 1]
    assert children() == before


@pytest.mark.parametrize("count", [1, 3])
def test_what_may_have_to_be_ended_is_for_workers(count: int) -> None:
    """With a limit, no pass that workers may run is tried in this process, not even on one op."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", TellProcess())
    manager.enable_pass_timeout(60)
    module = module_of(count)
    run(Forked(2), manager, module)
    assert [op.value for op in module.body[1:]] == [1] * count


def test_time_of_passes_that_a_pass_runs_is_theirs() -> None:
    """Each has its own limit; no alarm is left."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Outer())
    manager.enable_pass_timeout(0.25)
    module = module_of(1)
    assert run(Sequential(), manager, module) == []
    assert module.body[1].value == 1
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_the_limit_is_checked() -> None:
    """None stands for none; zero and less are refused."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.enable_pass_timeout(None)
    for wrong in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="lets no pass run"):
            manager.enable_pass_timeout(wrong)
