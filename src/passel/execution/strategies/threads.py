"""The strategy for threads of this process.

Threads only save time if passes release Python's global lock, as native passes do, or if Python has
no global lock. Each thread has its own hooks, whose observations are merged in program order. After
an interrupt, each thread finishes the pipeline on its current op.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Event
from typing import TYPE_CHECKING, Any

from passel.execution.strategies import at_work
from passel.execution.strategies.sharing import Sharing, branch, merge
from passel.hooks import Bracket

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.execution.level import Level
    from passel.execution.run import Run
    from passel.passes.outcome import Outcome


class Threads(Sharing):
    """The strategy that runs tasks on threads, if all passes and instrumentations allow it.

    Args:
        jobs: The number of threads that the tasks are divided among; None for all threads of the
            pool, or one per processor without a pool.
        pool: The thread pool to use; None to start new threads for each step.
    """

    workers = "threads"
    declared = "can_thread"
    place = "thread"

    def __init__(self, jobs: int | None = None, pool: ThreadPoolExecutor | None = None) -> None:
        most: int | None = getattr(pool, "_max_workers", None) or os.cpu_count()
        super().__init__(jobs or most or 1)
        self._pool = pool

    def rejection(self, run: Run, level: Level) -> str:
        """Return the reason why workers cannot run the tasks, or an empty string if they can."""
        if not run.adapter.allows_threads:
            return f"contexts of {run.adapter.name} can be used by only one Python thread at a time"
        return super().rejection(run, level)

    def share_out(self, run: Run, level: Level, jobs: int, /) -> Iterable[Outcome]:
        """Run all tasks on `jobs` threads, and yield their outcomes in program order."""
        level.is_in_order = False
        _ = level.ctx.analyses  # created here, so that no two threads create the manager
        chunks = self.shares_of(level.tasks, jobs)
        branches = [branch(run, chunk) for chunk in chunks]
        pool, ended = self._pool or ThreadPoolExecutor(jobs, "passel"), Event()
        futures = [
            pool.submit(copy_context().run, _do, part, chunk, ended)
            for (part, _), chunk in zip(branches, chunks, strict=True)
        ]
        try:
            for (_, parts), future in zip(branches, futures, strict=True):
                outcomes = future.result()
                merge(run, parts, outcomes)
                yield from outcomes
        finally:
            ended.set()
            for future in futures:
                future.cancel()
            wait(futures)
            if self._pool is None:
                pool.shutdown()


def _do(part: Run, tasks: Sequence[Any], ended: Event) -> list[Outcome]:
    """Run tasks in program order, and skip the remaining tasks once `ended` is set."""
    at_work.set(True)  # in the copy of the context
    with part.adapter.in_context(part.ir_context), Bracket(part.hooks, "run", part):
        return [part.run_sibling(task) for task in tasks if not ended.is_set()]
