"""Siblings on a local Dask cluster, which is really started."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sibling_passes
from dask_cluster import two_workers
from sibling_passes import TellProcess, everything, module_of, plain, run

from passel import OpPassManager, Pass, PassContext, PassManager
from passel.execution.strategies import Sequential, strategy_for
from passel.execution.strategies.futures import Futures
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Generator

# Its threads and sockets outlive it for a moment.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def client() -> Generator[Any]:
    """A client of two workers with one thread each, which can import the passes."""
    with two_workers(Path(sibling_passes.__file__).parent) as made:
        yield made


@pytest.mark.parametrize("seed", [1, 5, 7])
def test_everything_is_the_same(client: Any, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    """IR, failures, diagnostics and counts are those of one after the other, in program order."""
    assert everything(Futures(client.get_executor()), seed) == everything(Sequential(), seed)
    assert not [each for each in caplog.records if each.name == "passel"]


def test_a_client_is_an_executor(client: Any) -> None:
    """A manager takes it as it is; its workers do the work, as many shares as it has threads."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", TellProcess())
    module = module_of(8)
    manager.run(module, executor=client)
    assert str(module).count(" 1") == 8
    strategy = strategy_for(None, client)
    assert isinstance(strategy, Futures)
    assert strategy.jobs == 2


class KillFirst(Pass):
    """Kill the worker on one op, the first time."""

    name = "kill-first"
    marker: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        if op.symbol == "f5":
            with suppress(FileExistsError):
                Path(self.marker).touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        op.value += 1


def test_a_worker_that_leaves_is_survived(client: Any, tmp_path: Path) -> None:
    """Its shares are run again, and nothing is lost or done twice."""
    marker = tmp_path / "killed"
    manager = OpPassManager("toy.module").add_nested("toy.func", KillFirst(marker=str(marker)))
    outcome, _, text = run(Futures(client.get_executor()), manager, module_of(16))
    assert marker.exists()
    assert plain(outcome)[1] == []
    assert text.count(" 1") == 16


@pytest.mark.sweep
def test_ray() -> None:
    """Ray's references are futures, so that an executor for it takes a few lines."""
    ray: Any = pytest.importorskip("ray")

    class RayExecutor(Executor):
        """Runs functions as tasks of Ray, as the guide shows."""

        def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
            """Start a task."""
            return ray.remote(function).remote(*arguments, **named).future()

    directory = str(Path(sibling_passes.__file__).parent)
    variables = {"env_vars": {"PYTHONPATH": directory}}
    ray.init(num_cpus=2, include_dashboard=False, runtime_env=variables, logging_level="ERROR")
    try:
        strategy = Futures(RayExecutor(), 2)
        for seed in (1, 5, 7):
            assert everything(strategy, seed) == everything(Sequential(), seed)
        manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
        assert run(strategy, manager, module_of(8))[2].count(" 1") == 8
    finally:
        ray.shutdown()
