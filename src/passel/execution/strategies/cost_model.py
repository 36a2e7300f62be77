"""Whether sharing work out pays, as its first tasks show."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import ChildRun

_ENOUGH = 0.004
"""Seconds of work after which it is known well enough how long a task takes."""

_PERIOD = 32
"""The most tasks between two looks at the clock."""

_WORTH_IT = 0.05
"""Seconds that have to be saved: workers start, end, and copy the memory that they touch."""

_WORTH_A_CONTEXT = 0.5
"""Seconds that might have to be saved before copies are tried: they need a context of their own."""

_SAMPLES = 4
"""Tasks by which it is known what sending changes takes."""

_LEAST_LEFT = 4
"""How many times as many tasks as are rehearsed have to be left."""

_SLOWDOWN = 0.15
"""The part of a task's time that it takes longer where other processes work as well."""


class Costs(NamedTuple):
    """Costs of some tasks, in seconds.

    Attributes:
        here: What they take in this process.
        there: What another process has to do besides.
        sending: What this process has to do before another one does them.
        taking: What it has to do after that.
    """

    here: float
    there: float
    sending: float
    taking: float


class CostModel:
    """First tasks, done here until it is clear that workers would save time.

    Args:
        work: The work.
        jobs: How many processes would do tasks.
        size: How many tasks they would be sent at once.
    """

    def __init__(self, work: ChildRun, jobs: int, size: int) -> None:
        self._work = work
        if work.transport.sends_copies:
            # Much of what copies cost is for the enclosing op, whether they are few or many.
            self._rehearse, self._samples, self._least = _rehearse_copies, size, _WORTH_A_CONTEXT
        else:
            self._rehearse, self._samples, self._least = _rehearse_changes, _SAMPLES, _WORTH_IT
        self._jobs = jobs
        self._time = -1.0  # as a part of what it takes without workers

    def run(self, tasks: Sequence[Any]) -> Generator[Outcome, None, int]:
        """Do tasks from the first one on, and return how many were done."""
        work, started, size, done, sampled = self._work, perf_counter(), 1, 0, 0
        most = 1 - 1 / self._jobs  # the part that may be saved
        while done < len(tasks) - 1:  # one that is left is done here
            for task in islice(tasks, done, done + size):
                yield work(task)
            done = min(done + size, len(tasks))
            elapsed = perf_counter() - started
            left = elapsed / (done - sampled) * (len(tasks) - done)
            if elapsed > _ENOUGH and left * most > self._least:
                if self._time < 0:
                    begun = perf_counter()
                    sampled = yield from self._sample(tasks[done:])
                    done += sampled
                    started += perf_counter() - begun
                if left * (1 - self._time) > _WORTH_IT:
                    break
            size = 1 if elapsed > _ENOUGH * (done - sampled) else min(2 * size, _PERIOD)
        if done == len(tasks) - 1:
            yield work(tasks[done])
            done += 1
        return done

    def _sample(self, left: Sequence[Any]) -> Generator[Outcome, None, int]:
        """Rehearse some tasks of those that are left, and return how many."""
        count = min(self._samples, len(left) // _LEAST_LEFT)
        if not count:
            self._expect(Costs(1.0, 0.0, 0.0, 0.0))
            return 0
        count = max(2, count)
        yield from self._rehearse(self._work, left[:1])  # it has modules to load
        self._expect((yield from self._rehearse(self._work, left[1:count])))
        return count

    def _expect(self, costs: Costs) -> None:
        """Take note of what is to be expected of workers, from what some tasks cost."""
        here = costs.here or 1.0
        there, sending, taking = (each / here for each in costs[1:])
        there += 1 + _SLOWDOWN
        self._time = there / self._jobs + sending + taking


def _rehearse_changes(work: ChildRun, tasks: Sequence[Any]) -> Generator[Outcome, None, Costs]:
    """Do tasks here, and what would be added if a copy of this process did them."""
    import pickle  # noqa: PLC0415 - most runs are over before

    here = noting = packing = taking = 0.0
    for task in tasks:
        times = [perf_counter()]
        snapshot = work.transport.snapshot(task)
        times.append(perf_counter())
        outcome = work(task)
        times.append(perf_counter())
        try:
            pickle.dumps((outcome, work.transport.pack(task, outcome, snapshot)))
        except Exception:  # noqa: BLE001 - it cannot be sent, whatever the reason
            taking = inf
        times.append(perf_counter())
        noting += times[1] - times[0]
        here += times[2] - times[1]
        packing += times[3] - times[2]
        if outcome.changed is not False:
            taking += times[3] - times[2]  # as long as to pack it
        yield outcome
    # Each worker looks at all ops once, which takes about as long as to note how they were.
    return Costs(here, noting + packing, 0.0, taking + noting)


def _rehearse_copies(work: ChildRun, tasks: Sequence[Any]) -> Generator[Outcome, None, Costs]:
    """Do tasks here, and send their ops to this process as if it were another one."""
    here, changed, sending, reading, begun = 0.0, 0, inf, 0.0, perf_counter()
    with suppress(Exception):  # it cannot be sent, whatever the reason
        parcel = work.transport.parcel(tasks)
        shipped = perf_counter()
        work.transport.open(parcel)
        sending, reading = shipped - begun, perf_counter() - shipped
    for task in tasks:
        begun = perf_counter()
        outcome = work(task)
        here += perf_counter() - begun
        changed += outcome.changed is not False
        yield outcome
    # Who has done them reads their ops and sends them as well; then this process reads them.
    return Costs(here, sending + reading, sending, reading * changed / len(tasks))
