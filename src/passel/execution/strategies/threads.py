"""Siblings on threads of this process.

Worth it where passes leave Python's global lock to others, as native ones do, or where there is
none. Each thread reports to hooks of its own, which are merged in program order. After an
interrupt, each thread ends the op that it is on.
"""

from __future__ import annotations

import os
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Event
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.base import shares_of
from passel.execution.strategies.placement import Place, at_work
from passel.ir import in_running_context

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Executor

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import Branch, ChildRun


class Threads:
    """Tasks on threads, where all passes and observers allow it.

    Args:
        jobs: How many at once; None for as many as there are threads.
        pool: The threads; None for some of its own, as long as a nested step takes.
    """

    place = Place.THREADS
    where = "threads"

    def __init__(self, jobs: int | None = None, pool: ThreadPoolExecutor | None = None) -> None:
        most: int | None = getattr(pool, "_max_workers", None) or os.cpu_count()
        self.jobs: int = jobs or most or 1
        self._pool = pool

    def __call__(self, work: ChildRun, tasks: Sequence[Any], /) -> Generator[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        pool: Executor = self._pool or ThreadPoolExecutor(self.jobs, "passel")
        ended = Event()
        branches = [(share, work.branch(share)) for share in shares_of(tasks, self, work)]
        futures = [
            pool.submit(copy_context().run, _do, branch, share, ended) for share, branch in branches
        ]
        try:
            for (_, branch), future in zip(branches, futures, strict=True):
                outcomes = future.result()
                work.merge(branch.parts, outcomes)
                yield from outcomes
        finally:
            ended.set()
            for future in futures:
                future.cancel()
            wait(futures)
            if self._pool is None:
                pool.shutdown()


def _do(branch: Branch, tasks: Sequence[Any], ended: Event) -> list[Outcome]:
    """Do tasks in this thread, until one is interrupted or the work is ended."""
    at_work.set(True)  # in the copy of the context
    outcomes: list[Outcome] = []
    with in_running_context(), branch.observed:
        for task in tasks:
            if ended.is_set():
                raise CancelledError
            outcomes.append(branch.work(task))
            if outcomes[-1].interrupt is not None:
                break
    return outcomes
