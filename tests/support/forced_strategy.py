"""The option `--strategy`: runs that say nothing of parallelism share all work, however little.

A test that is marked `one_process` has to fail where other processes do its work: a marker that
is not needed is an error. Arguments name the strategies that it is about. It is as any other where
its work stays here.
"""

from __future__ import annotations

import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

from passel.diagnostics import log_warning_once
from passel.execution.strategies import strategy_for
from passel.execution.strategies.executors import OnExecutor, Threads
from passel.execution.strategies.fork import Forked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from concurrent.futures import Executor

    from passel.execution.strategies import Jobs

_NAMES = ("threads", "forked", "pool")

_WORKERS = 2


_WHERE = "workers by --strategy"


def _unless_forced(log: Callable[[str], None]) -> Callable[[str], None]:
    """Return what logs messages, but for those about the forced strategy."""

    def logs(message: str) -> None:
        if not message.startswith(f"not using {_WHERE}: "):
            log(message)

    return logs


class _Counted:
    """A strategy, and how often it has shared work.

    Args:
        strategy: The strategy.
    """

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        self.count = 0
        self._share_out = strategy.share_out
        strategy.share_out = self._counted

    def _counted(self, run: Any, siblings: Any, jobs: int, /) -> Any:
        self.count += 1
        return self._share_out(run, siblings, jobs)

    def share(self, run: Any, siblings: Any, /) -> Iterable[Any]:
        """Share out tasks."""
        return self._strategy.share(run, siblings)


class ForcedStrategy:
    """Lets runs take a strategy.

    Args:
        name: Its name.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._process = os.getpid()  # forked workers cannot look after the pool
        self._before = 0
        self._pool: ProcessPoolExecutor | None = None
        self._patch = pytest.MonkeyPatch()
        self._tests = 0

    def pytest_collection_finish(self) -> None:
        """Begin, when all modules with passes are imported and before anything has run."""
        strategy: Any = {
            "threads": Threads(_WORKERS),
            "forked": Forked(_WORKERS),
            "pool": OnExecutor(self._pool_now(), _WORKERS) if self._name == "pool" else None,
        }[self._name]
        self._counted = counted = _Counted(strategy)

        def chosen(jobs: Jobs | None = None, executor: Executor | None = None) -> Any:
            is_said = executor is not None or jobs not in (None, "auto")
            is_in_pool = self._name == "pool" and os.getpid() != self._process
            if is_said or is_in_pool or os.environ.get("PASSEL_JOBS"):
                return strategy_for(jobs, executor)
            if self._name == "pool":
                vars(strategy)["_executor"] = self._pool_now()
            return counted

        self._patch.setattr("passel.manager.pass_manager.strategy_for", chosen)
        self._patch.setattr("passel.execution.strategies.worker.Sequential", chosen)
        # The strategy was not asked for, so no message says that it cannot be used.
        strategy.workers = _WHERE
        for module in ("distribution", "executors"):
            place = f"passel.execution.strategies.{module}.log_warning_once"
            self._patch.setattr(place, _unless_forced(log_warning_once))

    def _pool_now(self) -> ProcessPoolExecutor:
        """Return the pool, a new one if a test has ended processes of it."""
        workers: dict[int, Any] = getattr(self._pool, "_processes", None) or {}
        if self._pool is None or not all(each.is_alive() for each in workers.values()):
            self._end_pool()
            self._pool = ProcessPoolExecutor(_WORKERS, get_context("fork"))
            tracer = sys.gettrace()
            sys.settrace(None)  # or a test's interrupt comes in a worker, for another test
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of threads beside a fork
                self._pool.submit(os.getpid).result()
            sys.settrace(tracer)
        return self._pool

    def _end_pool(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def pytest_sessionfinish(self) -> None:
        """End, and say how many tests had work that was shared."""
        self._end_pool()
        self._patch.undo()
        if os.environ.get("PYTEST_XDIST_WORKER") is None:
            print(f"\n{self._name}: {self._tests} tests shared work")  # noqa: T201

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what a test that is marked comes to."""
        report = yield
        if call.when == "setup":
            self._before = self._counted.count
        if call.when != "call":
            return report
        shared = self._counted.count > self._before
        report.user_properties.append(("shared", shared))
        marker = item.get_closest_marker("one_process")
        if shared and marker and self._name in (marker.args or ("forked", "pool")):
            if report.failed:
                report.outcome, report.wasxfail = "skipped", "it looks at this process"
            elif report.passed:
                report.outcome = "failed"
                report.longrepr = "it is marked `one_process`, and does without"
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count tests of which work was shared, also those that other processes have run."""
        self._tests += dict(report.user_properties).get("shared", False) is True


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        "--strategy", choices=_NAMES, help="how runs that do not say otherwise share work"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Add what lets runs take it."""
    name = config.getoption("--strategy")
    if name:
        config.pluginmanager.register(ForcedStrategy(name))
