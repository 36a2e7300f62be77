"""Siblings on threads of this process.

Worth it where passes leave Python's global lock to others, as native ones do, or where there is
none. Each thread reports to hooks of its own, which are merged in program order.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Event
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.base import chunks_of, most_at_once
from passel.execution.strategies.placement import Place, at_work
from passel.execution.strategies.stopping import Stoppable, Stopped, result_of
from passel.ir import in_running_context

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Executor

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import Branch, ChildRun

_CHUNKS_PER_THREAD = 4

_PATIENCE = 0.8
"""Seconds to wait for threads whose work was ended, which native code may not notice."""


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
        jobs = min(most_at_once(self.jobs, work), len(tasks))
        pool: Executor = self._pool or ThreadPoolExecutor(jobs, "passel")
        shares = [
            _Share(chunk, work.branch(chunk))
            for chunk in chunks_of(tasks, jobs * _CHUNKS_PER_THREAD)
        ]
        left, ended = deque(shares), Event()
        working = [Stoppable() for _ in range(jobs)]
        threads: list[Future[None]] = []
        try:
            for each in working:
                threads.append(pool.submit(copy_context().run, _work_off, left, ended, each))  # noqa: PERF401 - those that have started are ended
            for share in shares:
                outcomes = result_of(share.done)
                work.merge(share.branch.parts, outcomes)
                yield from outcomes
        finally:
            if not all(each.done() for each in threads):
                ended.set()
                left.clear()
                for thread in threads:
                    thread.cancel()
                for each in working:
                    each.stop()
                wait(threads, _PATIENCE)
            if self._pool is None:
                pool.shutdown(wait=False)


class _Share:
    """Some tasks that one thread does.

    Attributes:
        tasks: The tasks.
        branch: What does them.
        done: Their outcomes.
    """

    def __init__(self, tasks: Sequence[Any], branch: Branch) -> None:
        self.tasks = tasks
        self.branch = branch
        self.done: Future[list[Outcome]] = Future()

    def do(self, ended: Event) -> None:
        """Do the tasks, in this thread, until one is interrupted or the work is ended."""
        outcomes: list[Outcome] = []
        try:
            with self.branch.observed:
                for task in self.tasks:
                    if ended.is_set():
                        raise Stopped  # noqa: TRY301 - as if it came from outside
                    outcomes.append(self.branch.work(task))
                    if outcomes[-1].interrupt is not None:
                        break
            self.done.set_result(outcomes)
        except BaseException as error:  # noqa: BLE001 - raised where the outcomes are taken
            self.done.set_exception(error)


def _work_off(left: deque[_Share], ended: Event, stoppable: Stoppable) -> None:
    """Do shares in a thread, the next one whenever it is free, until none is left."""
    at_work.set(True)  # in the copy of the context
    share: _Share | None = None
    try:
        with stoppable, in_running_context():
            while not ended.is_set():
                try:
                    share = left.popleft()
                except IndexError:
                    return
                share.do(ended)
    except Stopped as error:
        if share is not None and not share.done.done():
            share.done.set_exception(error)
