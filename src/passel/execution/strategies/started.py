"""Siblings in worker processes that are started, for IRs whose ops do not survive a fork.

Such ops are sent, which costs more than to fork, so this process does as many as it can: those at
the beginning, while workers do those behind. What comes back is taken over in program order, and
meanwhile workers go on. Starting takes half a second, so workers stay for the next nested step.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from passel.diagnostics import log_warning_once
from passel.errors import EncodingError
from passel.execution.strategies.base import (
    can_share,
    most_at_once,
    processors,
    workers_for,
)
from passel.execution.strategies.cost_model import CostModel, rehearse_shipping
from passel.execution.strategies.futures import Sent, outcomes_of
from passel.execution.strategies.place import Place
from passel.execution.strategies.pool import WorkerPool, the_pool
from passel.execution.strategies.processes import can_start

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import SiblingWork
    from passel.execution.strategies.processes import WorkerProcess

_START = 0.6
"""Seconds until a process that is started does its first task."""

_MOST_SHARES = 32
"""Sending a share takes time for all siblings, also for those that are not in it."""

_SHARES_PER_WORKER = 6
"""More balance better, fewer cost less."""

_AT_ONCE = 2
"""Shares that a worker has: one that it works on, and the next one."""


class Started:
    """Tasks in processes that are started, where the IR and all passes can be sent and that pays.

    Args:
        jobs: How many processes may work at once, this one included.
        eager: Whether workers do all in any case, as many as `jobs` says.
    """

    place = Place.PROCESSES
    where = "worker processes"
    is_automatic = False

    def __init__(self, jobs: int, *, eager: bool = False) -> None:
        self.jobs = workers_for(jobs)
        self._eager = eager

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        if (
            not can_share(work, tasks, self.jobs)
            or not work.placement.allows(Place.PROCESSES)
            or not can_start()
        ):
            return map(work, tasks)
        try:
            work.transport.prepare()
        except EncodingError as error:
            way_out = "define them in a module that other processes can import"
            log_warning_once(
                f"no {self.where}: {error}, so that passes in Python run on "
                f"one op after the other; {way_out}"
            )
            return map(work, tasks)
        jobs = most_at_once(self.jobs, work)
        workers = jobs if self._eager else min(jobs, processors()) - 1
        return self._share(work, tasks, workers)

    def _share(self, work: SiblingWork, tasks: Sequence[Any], workers: int) -> Generator[Outcome]:
        pool, done, part = the_pool(), 0, 1.0
        if not self._eager:
            delay = 0.0 if pool.is_there(workers) else _START
            samples = ceil(len(tasks) / _MOST_SHARES)
            model = CostModel(
                work, rehearse_shipping, workers + 1, samples=samples, helps=True, delay=delay
            )
            done = yield from model.run(tasks)
            part = model.part
        if done == len(tasks) or not pool.begin():  # a run in another thread has it
            yield from map(work, tasks[done:])
            return
        substitute = WorkerPool()
        try:
            sharing = _Sharing(work, tasks[done:], part, pool.start(workers), pool, substitute)
            yield from sharing.outcomes()
        finally:
            substitute.end()
            pool.finish()


class _Sharing:
    """Tasks of one nested step, of which this process does those in front.

    Args:
        work: The work.
        tasks: The tasks.
        part: The part of them that workers do.
        workers: The workers.
        pool: Their pool.
        substitute: Another worker, which does what they are gone with.
    """

    def __init__(
        self,
        work: SiblingWork,
        tasks: Sequence[Any],
        part: float,
        workers: Sequence[WorkerProcess],
        pool: WorkerPool,
        substitute: WorkerPool,
    ) -> None:
        self._work = work
        self._tasks = tasks
        self._workers = workers
        self._pool = pool
        self._substitute = substitute
        self._sent: dict[int, Sent] = {}  # by the number of the first task
        self._told: set[str] = set()
        self._is_refused = False
        behind = int(len(tasks) * part)
        self._done = 0
        self._behind = self._front = len(tasks) - behind  # nobody has what is before, or after
        self._least = ceil(len(tasks) / _MOST_SHARES)
        self._size = max(self._least, ceil(behind / (max(1, len(workers)) * _SHARES_PER_WORKER)))

    def outcomes(self) -> Generator[Outcome]:
        """Yield the outcomes of all tasks, in their order."""
        while self._done < len(self._tasks):
            self._feed()
            share = self._sent.pop(self._done, None)
            if share is not None:
                yield from self._take(share)
                self._done += len(share.chunk)
            elif self._done < self._front:
                yield self._work(self._tasks[self._done])
                self._done += 1
            else:
                yield from map(self._work, self._tasks[self._done :])
                return

    def _take(self, share: Sent) -> Generator[Outcome]:
        """Wait for a share, and yield the outcomes."""
        while share.future is not None and not share.future.done():
            self._pool.take(wait=True)
            self._feed()
        known = len(self._told)
        yield from outcomes_of(self._work, share, self._substitute, self._told)
        self._is_refused |= len(self._told) > known and share.lost is None

    def _feed(self) -> None:
        """Give workers something to do before they have nothing."""
        while self._pool.take(wait=False):
            pass
        self._workers = [each for each in self._workers if self._pool.load_of(each) is not None]
        for load in range(_AT_ONCE):
            for worker in self._workers:
                while self._pool.load_of(worker) == load and not self._is_refused:
                    bounds = self._next_share()
                    if bounds is None:
                        return
                    self._send(worker, *bounds)

    def _next_share(self) -> tuple[int, int] | None:
        """Return the bounds of the next share; None if this process has to do what is left."""
        start = self._behind
        if start < len(self._tasks):
            self._behind = min(start + self._size, len(self._tasks))
            return start, self._behind
        own = self._front - self._done
        size = max(self._least, own // (2 * (len(self._workers) + 1)))
        if own < 2 * (len(self._workers) + 1) or own < 3 * size:
            return None
        end, self._front = self._front, self._front - size
        return self._front, end

    def _send(self, worker: WorkerProcess, start: int, end: int) -> None:
        chunk = self._tasks[start:end]
        try:
            data, known = self._work.transport.ship(chunk)
        except EncodingError:
            self._sent[start] = Sent(chunk)
        else:
            self._sent[start] = Sent(chunk, known, self._pool.send(worker, data))
