"""Fixtures of every folder, and how property tests run: the same examples, without a deadline."""

from __future__ import annotations

import faulthandler
import gc
import os
import re
import signal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.doctest import DoctestModule
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings
from xdsl_inputs import NEWEST_XDSL

from passel import diagnostics
from passel.execution.strategies import fork, strategy_for
from passel.execution.strategies.executors import Threads
from passel.execution.strategies.fork import Forked

if TYPE_CHECKING:
    from collections.abc import Generator
    from concurrent.futures import Executor

    from passel.execution.strategies import Jobs, Sequential


pytest_plugins = ["tool_fixtures", "toy_fixtures"]

settings.register_profile(
    "quick",
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
# For sweeps: `--hypothesis-profile=thorough`.
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=300)
settings.load_profile("quick")

_INSTALLED = version("xdsl")
_threads = fork._threads  # pyright: ignore[reportPrivateUsage]

_LACKING = re.compile(r"Operation [\w.]+ does not have a custom format|Dialect `\w+' not found")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is about a later xDSL than is installed, or about this process alone."""
    is_forked = config.getoption("--strategy") == "forked"
    for item in items:
        if is_forked and item.get_closest_marker("one_process"):
            item.add_marker(pytest.mark.skip("it looks at this process"))
        mark = item.get_closest_marker("needs_xdsl")
        # Fast paths are off where xDSL's own parts may be others.
        needed = NEWEST_XDSL if item.path.parent.name == "fast" else mark.args[0] if mark else ""
        if needed > _INSTALLED:
            item.add_marker(pytest.mark.skip(f"needs xDSL {needed}"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare collections, and forks, the modules and tests, which stay; collect less often."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    return collected


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples only in tests that have some: to look takes seconds."""
    return [x for x in (yield) if type(x) is not DoctestModule or b">>>" in x.path.read_bytes()]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Begin a test as if it were the first one, and print where it stands after two minutes.

    Pytest's `faulthandler_timeout` does so in a thread, and what has threads has no workers.
    """
    vars(diagnostics)["_tell"].get().cache_clear()
    faulthandler.register(signal.SIGALRM, item.config.stash[fault_handler_stderr_fd_key])
    signal.setitimer(signal.ITIMER_REAL, 120)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.collect(0)  # contexts of MLIR, of which few objects of Python hold megabytes


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    """Leave out the threads that fixtures and earlier tests have left, which are at rest."""
    left = _threads() - 1
    fork._threads = lambda: max(1, _threads() - left)  # pyright: ignore[reportPrivateUsage]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what an older xDSL cannot do: the IR of a test has ops in a form that came later."""
    report = yield
    if report.failed and _INSTALLED < NEWEST_XDSL:
        found = _LACKING.search(report.longreprtext)
        if found:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"xDSL {_INSTALLED}: {found[0]}")
    return report


# -- The option `--strategy` -------------------------------------------------------------------

_STRATEGIES = {"threads": Threads, "forked": Forked}
_WORKERS = 2
_WHERE = "workers by --strategy"


def _log(message: str) -> None:
    """Log a message, unless it says why the strategy that was not asked for cannot be used."""
    if not message.startswith(f"not using {_WHERE}: "):
        diagnostics.log_warning_once(message)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let runs that say nothing of parallelism share all work, however little."""
    parser.addoption(
        "--strategy", choices=_STRATEGIES, help="how runs that do not say otherwise share work"
    )


@pytest.fixture(scope="session", autouse=True)
def _forced_strategy(pytestconfig: pytest.Config) -> Any:
    """Let runs take the strategy."""
    name = pytestconfig.getoption("--strategy")
    if not name:
        yield
        return
    strategy: Any = _STRATEGIES[name](_WORKERS)
    strategy.workers = _WHERE

    def chosen(jobs: Jobs | None = None, executor: Executor | None = None) -> Sequential:
        is_said = executor is not None or jobs not in (None, "auto")
        return strategy_for(jobs, executor) if is_said or "PASSEL_JOBS" in os.environ else strategy

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("passel.manager.pass_manager.strategy_for", chosen)
        for module in ("distribution", "executors"):
            patch.setattr(f"passel.execution.strategies.{module}.Sequential", chosen)
            patch.setattr(f"passel.execution.strategies.{module}.log_warning_once", _log)
        yield
