"""Whether sharing work out pays, as its first tasks show."""

from __future__ import annotations

from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import SiblingWork

_ENOUGH = 0.004
"""Seconds of work after which it is known well enough how long a task takes."""

_PERIOD = 32
"""The most tasks between two looks at the clock."""

_WORTH_IT = 0.05
"""Seconds that have to be saved: workers start, end, and copy the memory that they touch."""

_SAMPLES = 4
"""Tasks by which it is known what sending takes, and the part of the rest that they are at most."""

_SLOWDOWN = 0.15
"""The part of a task's time that it takes longer where other processes work as well."""


class Trial:
    """First tasks, done here until it is clear that workers would save time.

    Args:
        work: The work.
        jobs: How many processes would do it.
    """

    def __init__(self, work: SiblingWork, jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._share = -1.0

    def run(self, tasks: Sequence[Any]) -> Generator[Outcome, None, int]:
        """Do tasks from the first one on, and return how many were done."""
        work, started, size, done = self._work, perf_counter(), 1, 0
        most = 1 - 1 / self._jobs  # the part that may be saved
        while done < len(tasks) - 1:  # one that is left is done here
            for task in islice(tasks, done, done + size):
                yield work(task)
            done = min(done + size, len(tasks))
            elapsed = perf_counter() - started
            left = elapsed / done * (len(tasks) - done)
            if elapsed > _ENOUGH and left * most > _WORTH_IT:
                if self._share < 0:
                    begun = perf_counter()
                    count = min(_SAMPLES, (len(tasks) - done) // _SAMPLES)
                    count += count == 1  # the first one has modules to load
                    done += yield from self._sample(tasks[done : done + count])
                    started += perf_counter() - begun
                if left * (1 - self._share) > _WORTH_IT:
                    break
            size = 1 if elapsed > _ENOUGH * done else min(2 * size, _PERIOD)
        if done == len(tasks) - 1:
            yield work(tasks[done])
            done += 1
        return done

    def _sample(self, tasks: Sequence[Any]) -> Generator[Outcome, None, int]:
        """Do tasks, and see what would be added if they came back from another process."""
        import pickle  # noqa: PLC0415 - most runs are over before

        work, noting, working, packing, sending = self._work, 0.0, 0.0, 0.0, 0.0
        for number, task in enumerate(tasks):
            times = [perf_counter()]
            noted = work.note(task)
            times.append(perf_counter())
            outcome = work(task)
            times.append(perf_counter())
            try:
                pickle.dumps((outcome, work.pack(task, outcome, noted)))
            except Exception:  # noqa: BLE001 - it cannot be sent, whatever the reason
                self._share = 1.0
            times.append(perf_counter())
            if number or len(tasks) == 1:  # the first one has modules to load
                noting += times[1] - times[0]
                working += times[2] - times[1]
                packing += times[3] - times[2]
                sending += times[3] - times[2] if outcome.changed is not False else 0.0
            yield outcome
        if self._share < 0:
            working = working or 1.0
            self._share = self._expect(noting / working, packing / working, sending / working)
        return len(tasks)

    def _expect(self, noting: float, packing: float, unpacking: float) -> float:
        """Return the part that workers would take of the time that the tasks take here.

        Args:
            noting: The part that is added for each task before it is done.
            packing: The same after it.
            unpacking: The same when it has come back.
        """
        others = self._jobs - 1
        speed = others / (1 + _SLOWDOWN + noting + packing)
        if self._work.may_stay:
            return (1 + unpacking * speed) / (1 + speed)
        looks = 0.0 if self._work.is_trusted else noting  # each worker looks at all ops once
        return (1 + _SLOWDOWN + noting + packing) / self._jobs + unpacking + looks
