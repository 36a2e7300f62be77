"""Pools of worker processes that are started.

These are given shares, one after the other, by who knows what is left. Forked workers are not
like that: each is there for one nested step, and takes from what is left by itself.
"""

from __future__ import annotations

import atexit
import os
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any

from passel.diagnostics import log_warning
from passel.execution.strategies.processes import WorkerProcess, import_path
from passel.passes.plugins import plugin_files

if TYPE_CHECKING:
    from collections.abc import Iterable

_PERIOD = 0.05
"""Seconds between looks at whether processes are still there."""


class WorkerEndedError(ChildProcessError):
    """A worker has ended before its share was done.

    Args:
        code: Its exit code: negative for a signal.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"it ended with exit code {code}")
        self.code: int = code


class WorkerPool:
    """Worker processes, which start when they are first needed.

    Attributes:
        process: The process that has started them; copies of it leave them alone.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.process: int = os.getpid()
        self._answers: SimpleQueue[tuple[WorkerProcess, bytes | None]] = SimpleQueue()
        self._waiting: dict[WorkerProcess, deque[Future[bytes]]] = {}
        self._surroundings: tuple[Any, ...] = ()

    def begin(self) -> bool:
        """Return whether nobody else gives the workers something to do, until `finish`."""
        return self._lock.acquire(blocking=False)

    def finish(self) -> None:
        """End the workers whose work nobody waits for any more, and let others have the rest."""
        self.end(only_busy=True)
        self._lock.release()

    def is_there(self, count: int) -> bool:
        """Return whether so many workers have started already, as this process now is."""
        return len(self._waiting) >= count and self._surroundings == _surroundings()

    def start(self, count: int) -> list[WorkerProcess]:
        """Return so many workers, or as many as the system lets start."""
        if self._surroundings != (now := _surroundings()):
            self.end()
            self._surroundings = now
        self._remove(worker for worker in self._waiting if worker.has_ended())
        try:
            while len(self._waiting) < count:
                self._waiting[WorkerProcess(self._answers)] = deque()
        except OSError as error:
            some = "more" if self._waiting else "worker"
            log_warning(f"no {some} processes: {error}")
        return list(self._waiting)[:count]

    def load_of(self, worker: WorkerProcess) -> int | None:
        """Return how many shares a worker has; None if it is gone."""
        waiting = self._waiting.get(worker)
        return None if waiting is None else len(waiting)

    def send(self, worker: WorkerProcess, share: bytes) -> Future[bytes]:
        """Give a worker a share, and return the future of its answer."""
        answer: Future[bytes] = Future()
        self._waiting[worker].append(answer)
        worker.send(share)
        return answer

    def take(self, *, wait: bool) -> bool:
        """Take an answer; return whether there was any, or a worker has ended.

        Args:
            wait: Whether to wait for it a moment.
        """
        try:
            worker, answer = self._answers.get(block=wait, timeout=_PERIOD)
        except Empty:
            answer = None
            over = (each for each, waiting in self._waiting.items() if waiting and each.is_over())
            if (worker := next(over, None)) is None:
                return False
        waiting = self._waiting.get(worker)
        if waiting is None:  # one that nobody waited for any more
            return True
        if answer is not None:
            waiting.popleft().set_result(answer)
            return True
        self._remove([worker])
        for future in waiting:
            future.set_exception(WorkerEndedError(worker.code()))
        return True

    def done(self, share: bytes) -> Future[bytes]:
        """Let a worker do a share, and return the future of its answer when that is there.

        Raises:
            OSError: The system starts no process.
        """
        workers = self.start(1)
        if not workers:
            raise OSError("there is no worker")
        answer = self.send(workers[0], share)
        while not answer.done():
            self.take(wait=True)
        return answer

    def end(self, *, only_busy: bool = False) -> None:
        """End all workers, or those that still have work.

        In a copy of the process that has started them, nothing happens.
        """
        if os.getpid() == self.process:
            self._remove(w for w, waiting in self._waiting.items() if waiting or not only_busy)

    def _remove(self, workers: Iterable[WorkerProcess]) -> None:
        for worker in list(workers):
            worker.end()
            del self._waiting[worker]


_pools: list[WorkerPool] = []
"""The last one is of this process. Those before it are of processes that this is a copy of."""


def the_pool() -> WorkerPool:
    """Return the workers of this process that stay for as long as it lives."""
    if not _pools or _pools[-1].process != os.getpid():
        pool = WorkerPool()
        _pools.append(pool)
        atexit.register(pool.end)
    return _pools[-1]


def _surroundings() -> tuple[Any, ...]:
    """Return all that a process takes over when it starts, and which may change later."""
    return Path.cwd(), tuple(import_path()), frozenset(os.environ.items()), *plugin_files()
