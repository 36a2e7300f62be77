"""The common base of strategies, and the plainest one."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.placement import Place

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import ChildRun, SiblingStrategy

_SHARES_PER_WORKER = 4
"""More balance better, fewer cost less."""


class Sequential:
    """One task after the other, in the calling thread."""

    place = Place.HERE
    where = "this thread"
    jobs = 1

    def __call__(self, work: ChildRun, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do the tasks lazily, each when its outcome is taken."""
        return map(work, tasks)


def processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def shares_of(tasks: Sequence[Any], strategy: SiblingStrategy, work: ChildRun) -> list[Any]:
    """Return the tasks in shares, in order: one for each job if there is a limit, else more."""
    if work.jobs is None:
        count = strategy.jobs * _SHARES_PER_WORKER
    else:
        count = min(strategy.jobs, work.jobs)
    size = -(-len(tasks) // count)
    return [tasks[start : start + size] for start in range(0, len(tasks), size)]


@contextmanager
def interrupts_held() -> Generator[None]:
    """Hold Ctrl-C back for a moment in which what it raises would do harm."""
    usual = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(usual):
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            signal.raise_signal(signal.SIGINT)
