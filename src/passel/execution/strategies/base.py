"""The common base of strategies, and the plainest one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.placement import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import ChildRun


def processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


_MOST_PER_PROCESSOR = 8


def workers_for(jobs: int) -> int:
    """Return how many worker processes to start for so many jobs: more would only wait."""
    return min(jobs, _MOST_PER_PROCESSOR * processors())


def most_at_once(jobs: int, work: ChildRun) -> int:
    """Return how many tasks may be done at once, of a strategy that would do so many."""
    return jobs if work.jobs is None else min(jobs, work.jobs)


def chunks_of(tasks: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Return the tasks in up to so many chunks, in order."""
    size = max(1, -(-len(tasks) // count))
    return [tasks[start : start + size] for start in range(0, len(tasks), size)]


class Sequential:
    """One task after the other, in the calling thread."""

    place = Place.HERE
    where = "this thread"
    jobs = 1

    def __call__(self, work: ChildRun, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do the tasks lazily, each when its outcome is taken."""
        return map(work, tasks)
