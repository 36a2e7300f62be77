"""The option `--strategy`: runs that say nothing of parallelism share all work, however little.

Tests that are marked `one_process` are left out where other processes would do their work.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from passel.diagnostics import log_warning_once
from passel.execution.strategies import strategy_for
from passel.execution.strategies.executors import Threads
from passel.execution.strategies.fork import Forked

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from passel.execution.strategies import Jobs, Sequential

_STRATEGIES = {"threads": Threads, "forked": Forked}
_WORKERS = 2
_WHERE = "workers by --strategy"


def _log(message: str) -> None:
    """Log a message, unless it says why the strategy that was not asked for cannot be used."""
    if not message.startswith(f"not using {_WHERE}: "):
        log_warning_once(message)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        "--strategy", choices=_STRATEGIES, help="how runs that do not say otherwise share work"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what looks at this process."""
    if config.getoption("--strategy") == "forked":
        for item in items:
            if item.get_closest_marker("one_process"):
                item.add_marker(pytest.mark.skip("it looks at this process"))


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
        patch.setattr("passel.execution.strategies.worker.Sequential", chosen)
        for module in ("distribution", "executors"):
            patch.setattr(f"passel.execution.strategies.{module}.log_warning_once", _log)
        yield
