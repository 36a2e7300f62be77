"""Strategies that distribute sibling ops over workers, and the choice of a strategy for a run.

Each strategy with workers is in a separate module, which is imported on first use.
"""

# ruff: noqa: PLC0415
# Most runs are sequential, and start faster without the other strategies.

from __future__ import annotations

import os
import re
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Executor

    from passel.execution.run import Run
    from passel.execution.siblings import Siblings
    from passel.passes.outcome import Outcome

Jobs = int | Literal["auto"]
"""The number of ops to process concurrently; `auto` for the number of processors."""


in_worker: ContextVar[bool] = ContextVar("in_worker", default=False)
"""Whether this thread or process is a worker. Workers do not start other workers."""


class Sequential:
    """The strategy that processes sibling ops one after another in the calling thread.

    The other strategies, such as those with worker processes, are subclasses of this class.
    """

    def share(self, run: Run, siblings: Siblings, /) -> Iterable[Outcome]:
        """Run all tasks of `siblings`, and yield their outcomes in program order."""
        return map(siblings.run_task, siblings.tasks)


def processors() -> int:
    """Return the number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def strategy_for(jobs: Jobs | None, executor: Executor | None = None) -> Sequential:
    """Return the strategy for a number of concurrent tasks, or for an executor.

    Args:
        jobs: The maximum number of concurrent tasks; `auto` for the number of processors. None
            means the value of the environment variable `PASSEL_JOBS`. If this variable is not set,
            None means 1. With an executor, `jobs` only determines how the tasks are divided into
            shares. None and `auto` then mean the executor's number of workers. If the executor does
            not limit this number, they mean the number of processors.
        executor: The executor that runs the tasks. None means forked processes, or threads if
            Python has no global lock or the platform cannot fork.

    Raises:
        TypeError: If `executor` is not an executor.
        ValueError: If `jobs` is not positive, or `PASSEL_JOBS` is invalid.
    """
    if jobs is None and executor is None:
        jobs = jobs_of_environment() or 1
    if jobs == "auto":
        jobs = processors() if executor is None else None
    if jobs is not None and (type(jobs) is not int or jobs < 1):
        raise ValueError(f"jobs must be a positive number, not {jobs!r}")
    if executor is not None:
        from concurrent.futures import ThreadPoolExecutor

        from passel.execution.strategies.executors import OnExecutor, Threads

        if isinstance(executor, ThreadPoolExecutor):
            threads = Threads(jobs, executor)
            return threads if threads.jobs > 1 else Sequential()
        if callable(getattr(executor, "submit", None)):
            return OnExecutor(jobs, executor)
        raise TypeError(f"expected an executor, such as ProcessPoolExecutor(), got {executor!r}")
    if jobs is None or jobs == 1 or in_worker.get():
        return Sequential()
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    if not has_lock or not hasattr(os, "fork"):
        from passel.execution.strategies.executors import Threads

        return Threads(jobs)
    from passel.execution.strategies.fork import Forked

    return Forked(jobs)


def own_threads(jobs: Jobs | None) -> int | None:
    """Return the number of threads that the IR's own library may use; None means no limit.

    Args:
        jobs: The maximum number of concurrent tasks, as in `strategy_for`.
    """
    jobs = jobs_of_environment() if jobs is None else jobs
    return None if jobs == "auto" else jobs


def jobs_of(text: str) -> Jobs:
    """Parse a number of jobs, or the word `auto`.

    Raises:
        ValueError: If the text is neither a positive number nor `auto`.
    """
    if text == "auto":
        return "auto"
    if not re.fullmatch("0*[1-9][0-9]{0,17}", text):
        raise ValueError(f"takes a positive number or auto, not '{text}'")
    return int(text)


def jobs_of_environment() -> Jobs | None:
    """Return the number of jobs in the environment variable `PASSEL_JOBS`; None if it is unset.

    Raises:
        ValueError: If the value is neither a positive number nor `auto`.
    """
    text = os.environ.get("PASSEL_JOBS")
    try:
        return jobs_of(text) if text else None
    except ValueError as error:
        raise ValueError(f"the environment variable PASSEL_JOBS {error}") from None
