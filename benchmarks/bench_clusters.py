"""How a cluster of many workers would do, most of which are pretended.

The tasks of each run are done in this process first. Then a local Dask cluster with as many slots
as there are workers to pretend takes tasks that send and return as many bytes, and sleep for as
long as each took; what this process does itself is real, and so is the scheduler. Time on the
clock: run it on an idle machine.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections import deque
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

from inputs import functions_of_40_ops
from measuring import peer, wants_quick

from passel import PassManager
from passel.ir.frontend import SourcePart
from passel.tool import cutting, sharding
from passel.tool.definition import ToolDefinition
from passel.tool.shared import shared_for
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

_PASSES = "builtin.module(func.func(cse,canonicalize))"
_MANY = 100_000
"""Functions of the program that is predicted."""

_SLOTS_PER_PROCESS = 256


@dataclass
class Recording(Executor):
    """Does tasks at once, and takes note of what they cost and return.

    Attributes:
        num_workers: How many workers it seems to have.
        tasks: CPU seconds and answer of each task.
    """

    num_workers: int
    tasks: deque[tuple[float, bytes]] = field(default_factory=deque[tuple[float, bytes]])

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do a task."""
        started = cpu_time()
        answer = fn(*args, **kwargs)
        self.tasks.append((cpu_time() - started, answer))
        future = Future[Any]()
        future.set_result(answer)
        return future

    @property
    def seconds(self) -> float:
        """What all tasks took."""
        return sum(seconds for seconds, _ in self.tasks)


class Pretending(Executor):
    """Has a cluster pretend to do the tasks that were recorded, in their order."""

    def __init__(self, cluster: Executor, recorded: Recording) -> None:
        self.num_workers = recorded.num_workers
        self._cluster = cluster
        self._left = deque(recorded.tasks)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Send as many bytes as the task has; its answer is the one that was recorded."""
        seconds, answer = self._left.popleft()
        pretended = self._cluster.submit(pretend, pickle.dumps(args), seconds, len(answer))
        future = Future[Any]()
        pretended.add_done_callback(lambda _: future.set_result(answer))
        return future


def cpu_time() -> float:
    """Return the CPU time of this process, and of those that it has begun."""
    return sum(os.times()[:4])


def pretend(sent: bytes, seconds: float, size: int) -> bytes:
    """Take as long as a task, and return as much."""
    del sent
    sleep(seconds)
    return bytes(size)


def sending(functions: int) -> Callable[[Recording | Pretending], None]:
    """Return what runs passes on ops that are sent."""
    text = functions_of_40_ops(functions)

    def run(executor: Recording | Pretending) -> None:
        context = XDSLAdapter().create_context()
        module = parse_source(context, text, "bench.mlir")
        manager = PassManager.parse(_PASSES, context)
        started.append((perf_counter(), cpu_time()))
        manager.run(module, executor=executor)

    return run


started: list[tuple[float, float]] = []
"""When what is measured has begun, on the clock and in CPU time."""


def sharing(path: str) -> Callable[[Recording | Pretending], None]:
    """Return what processes a file whose shards the workers process."""
    words = [path, f"--pass-pipeline={_PASSES}"]
    source = SourcePart(Path(path).read_text(), path, path=path)

    def run(executor: Recording | Pretending) -> None:
        shared = replace(shared_for(words, ToolDefinition()), cluster=executor)
        started.append((perf_counter(), cpu_time()))
        assert sharding.process_in_shards(source, shared) is not None

    return run


def show(functions: int, workers: int, run: Callable[[Recording | Pretending], None]) -> None:
    """Print what is predicted for a number of workers, and what it was when they pretended."""
    distributed = peer("distributed")
    recording = Recording(workers)
    run(recording)
    own = cpu_time() - started[-1][1] - recording.seconds
    predicted = own + recording.seconds / workers
    processes = -(-workers // _SLOTS_PER_PROCESS)
    with (
        distributed.LocalCluster(
            n_workers=processes,
            threads_per_worker=workers // processes,
            dashboard_address=":0",
            silence_logs="CRITICAL",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.gather(client.map(sleep, [0.1] * workers, pure=False))  # all threads are there
        run(Pretending(client.get_executor(), recording))
        simulated = perf_counter() - started[-1][0]
    alone = own + recording.seconds
    scale = _MANY / functions
    print(
        f"{workers:4} workers, {len(recording.tasks):4} tasks: work {recording.seconds:.2f} s, "
        f"own {own:.2f} s, predicted {predicted:.2f} s, pretended {simulated:.2f} s "
        f"(ratio {simulated / predicted:.2f}): {alone / simulated:.1f} times as fast as one; "
        f"{_MANY} functions in {scale * predicted:.0f} s, as predicted"
    )


def main() -> None:
    """Print both tables."""
    if peer("distributed") is None:
        return
    quick = wants_quick()
    functions = 8 if quick else 5000
    if quick:
        cutting._PER_REMOTE = 1  # pyright: ignore[reportPrivateUsage]
    many = (2,) if quick else (8, 64, 512)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.mlir")
        path.write_text(functions_of_40_ops(functions))
        for what, run in (
            ("Ops are sent", sending(functions)),
            ("Workers process shards of the file", sharing(str(path))),
        ):
            print(f"\n{what}; {functions} functions of 40 ops")
            for workers in many:
                show(functions, workers, run)


if __name__ == "__main__":
    main()
