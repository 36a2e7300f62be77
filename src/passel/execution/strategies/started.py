"""Siblings in worker processes that are started, for IRs whose ops do not survive a fork.

Such ops are sent, which costs more than to fork, so this process does as many as it can: those at
the beginning, while workers do those behind. What comes back is taken over in program order, and
meanwhile workers go on. Starting takes half a second, so workers stay for the next nested step.
"""

from __future__ import annotations

from functools import cache
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.diagnostics import log_warning
from passel.errors import EncodingError
from passel.execution.strategies.base import at_work, most_at_once, processors
from passel.execution.strategies.crew import the_crew
from passel.execution.strategies.futures import Sent, outcomes_of
from passel.execution.strategies.processes import can_start
from passel.execution.strategies.substitute import Substitute

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import ShippableWork, SiblingWork
    from passel.execution.strategies.crew import Crew
    from passel.execution.strategies.processes import WorkerProcess

_TRIAL = 0.02
"""Seconds of work after which it is known well enough how long a task takes."""

_START = 0.6
"""Seconds until a process that is started does its first task."""

_LEAST_GAIN, _LEAST_PART = 0.03, 0.15
"""Seconds that workers have to save at least, and the part of the time that is left."""

_GAIN_OF_START = 0.3
"""Seconds that workers have to save at least which have to be started."""

_TAKING, _THERE = 1.3, 3.5
"""Cost of taking an op back that has changed, and of all that a worker does for it but to run
passes, as multiples of the cost of sending it. Measured with MLIR's functions of 40 ops."""

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

    in_order = False
    uses_threads = False
    ships = True
    where = "worker processes"

    def __init__(self, jobs: int, *, eager: bool = False) -> None:
        self.jobs = jobs
        self._eager = eager

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        jobs = most_at_once(self.jobs, work)
        if at_work.get() or len(tasks) < 2 or jobs < 2 or not can_start():  # noqa: PLR2004 - one cannot be shared
            return map(work, tasks)
        if not work.can_ship:
            if not work.ships_ops:
                _tell_once(f"ops of '{work.held_by}' cannot be sent to others", "")
            return map(work, tasks)
        shippable = cast("ShippableWork", work)
        try:
            shippable.prepare_shipping()
        except EncodingError as error:
            _tell_once(str(error), "; define them in a module that other processes can import")
            return map(work, tasks)
        return self._share(shippable, tasks, jobs)

    def _share(self, work: ShippableWork, tasks: Sequence[Any], jobs: int) -> Generator[Outcome]:
        crew, done = the_crew(), 0
        plan = _Plan(jobs, 0.0) if self._eager else None
        if not self._eager:
            trial = _Trial(work, tasks, min(jobs, processors()) - 1)
            while done < len(tasks) and not trial.is_over:
                yield work(tasks[done])
                done += 1
                plan = trial.plan_after(done, starts=not crew.is_there(trial.workers))
        if plan is None or not crew.begin():  # a run in another thread has it
            yield from map(work, tasks[done:])
            return
        substitute = Substitute()
        try:
            yield from _Sharing(work, tasks[done:], plan, crew, substitute).outcomes()
        finally:
            substitute.end()
            crew.finish()


@cache
def _tell_once(why: str, way_out: str) -> None:
    """Log why there are no workers, once for all runs of this process."""
    rest = "so that passes in Python run on one op after the other"
    log_warning(f"no worker processes: {why}, {rest}{way_out}")


class _Plan(NamedTuple):
    """How tasks are shared.

    Attributes:
        workers: How many workers there are.
        part: The part of the tasks that this process does.
    """

    workers: int
    part: float


class _Trial:
    """Tasks that are done here, to see how long one takes and whether workers would gain.

    Args:
        work: The work.
        tasks: The tasks.
        workers: How many workers there may be.

    Attributes:
        workers: The same.
        is_over: Whether there is no more to be found out.
    """

    def __init__(self, work: ShippableWork, tasks: Sequence[Any], workers: int) -> None:
        self.workers = workers
        self.is_over: bool = workers < 1
        self._work = work
        self._tasks = tasks
        self._times = [perf_counter()]

    def plan_after(self, done: int, *, starts: bool) -> _Plan | None:
        """Return how the tasks that are left are shared; None if they are not, or not yet.

        Args:
            done: How many tasks are done.
            starts: Whether the workers have to be started.
        """
        self._times.append(perf_counter())
        if self._times[-1] - self._times[0] < _TRIAL:
            return None
        half = done // 2  # the first ones load what others find there
        task = (self._times[-1] - self._times[half]) / (done - half)
        left = len(self._tasks) - done
        if left < 2 or self._plan(left, task, 0.0, starts=starts) is None:  # noqa: PLR2004 - one cannot be shared
            return None
        self.is_over = True
        probe = self._tasks[-ceil(left / _MOST_SHARES) :]
        started = perf_counter()
        try:
            self._work.ship(probe)
        except EncodingError:
            return None
        sending = (perf_counter() - started) / len(probe)
        return self._plan(left, task, sending, starts=starts)

    def _plan(self, left: int, task: float, sending: float, *, starts: bool) -> _Plan | None:
        """Return how tasks are shared such that all are ready at once; None if that saves little.

        Args:
            left: How many there are.
            task: Seconds that one takes.
            sending: Seconds that it takes to send one.
            starts: Whether the workers have to be started.
        """
        saved = task - sending * (1 + _TAKING)  # for each that is sent
        there = (task + sending * _THERE) / self.workers
        alone, delay = left * task, _START if starts else 0.0
        if saved <= 0:
            return None
        sent = min((alone - delay) / (there + saved), left)
        least = max(_GAIN_OF_START if starts else _LEAST_GAIN, _LEAST_PART * alone)
        return None if sent * saved < least else _Plan(self.workers, 1 - sent / left)


class _Sharing:
    """Tasks of one nested step, of which this process does those in front.

    Args:
        work: The work.
        tasks: The tasks.
        plan: How they are shared.
        crew: The workers.
        substitute: Does what they have lost.
    """

    def __init__(
        self,
        work: ShippableWork,
        tasks: Sequence[Any],
        plan: _Plan,
        crew: Crew,
        substitute: Substitute,
    ) -> None:
        self._work = work
        self._tasks = tasks
        self._plan = plan
        self._crew = crew
        self._workers: Sequence[WorkerProcess] = crew.start(plan.workers)
        self._sent: dict[int, Sent] = {}  # by the number of the first task
        self._least = ceil(len(tasks) / _MOST_SHARES)
        self._substitute = substitute
        self._told: set[str] = set()
        self._is_refused = False
        self._split(0)

    def _split(self, done: int) -> None:
        """Let this process do the next ones of what nobody has, and workers those behind."""
        left = len(self._tasks) - done
        self._done = done
        self._behind = self._front = done + ceil(left * self._plan.part)
        behind = len(self._tasks) - self._behind
        shares = self._plan.workers * _SHARES_PER_WORKER
        self._size = max(self._least, ceil(behind / shares))

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
            elif not self._workers or self._is_refused:
                yield from map(self._work, self._tasks[self._done :])
                return
            else:  # workers were faster than expected, and have nothing to do
                self._split(self._done)

    def _take(self, share: Sent) -> Generator[Outcome]:
        """Wait for a share, and yield the outcomes."""
        while share.future is not None and not share.future.done():
            self._crew.take(wait=True)
            self._feed()
        known = len(self._told)
        yield from outcomes_of(self._work, share, self._substitute, self._told)
        self._is_refused |= len(self._told) > known and share.lost is None

    def _feed(self) -> None:
        """Give workers something to do before they have nothing."""
        while self._crew.take(wait=False):
            pass
        self._workers = [each for each in self._workers if self._crew.load_of(each) is not None]
        for load in range(_AT_ONCE):
            for worker in self._workers:
                while self._crew.load_of(worker) == load and not self._is_refused:
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
        size = max(self._least, own // (2 * (self._plan.workers + 1)))
        if own < 2 * (self._plan.workers + 1) or own < 3 * size:
            return None
        end, self._front = self._front, self._front - size
        return self._front, end

    def _send(self, worker: WorkerProcess, start: int, end: int) -> None:
        chunk = self._tasks[start:end]
        try:
            data, noted = self._work.ship(chunk)
        except EncodingError:
            self._sent[start] = Sent(chunk)
        else:
            self._sent[start] = Sent(chunk, noted, self._crew.send(worker, data))
