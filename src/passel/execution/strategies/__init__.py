"""Strategies that distribute sibling ops over workers, and the choice of one for a run.

The strategies are in separate modules, which are loaded on first use.
"""

# ruff: noqa: PLC0415
# Most runs are sequential, and start faster without the other strategies.

from __future__ import annotations

import os
import re
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Executor

    from passel.execution.level import Level
    from passel.execution.run import Run
    from passel.passes.outcome import Outcome

Jobs = int | Literal["auto"]
"""The number of ops that are processed at once; `auto` for one per processor."""


at_work: ContextVar[bool] = ContextVar("at_work", default=False)
"""Whether this thread or process is a worker, which starts no workers."""


class SiblingStrategy(Protocol):
    """A strategy for processing the ops immediately inside one op."""

    def share(self, run: Run, level: Level, /) -> Iterable[Outcome]:
        """Run all tasks of a level, and yield their outcomes in program order."""
        ...


class Sequential:
    """The strategy that processes one op after the other, in the calling thread."""

    def share(self, run: Run, level: Level, /) -> Iterable[Outcome]:
        """Run each task when its outcome is requested."""
        return map(run.run_sibling, level.tasks)


def processors() -> int:
    """Return the number of processors available to this process."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def strategy_for(jobs: Jobs | None, executor: Executor | None = None) -> SiblingStrategy:
    """Return a strategy that runs at most `jobs` tasks at once.

    Args:
        jobs: The number of tasks; None for the environment's `PASSEL_JOBS`, else one; `auto` for
            the number of processors.
        executor: The executor to use; by default worker processes, or threads if Python has no
            global lock.

    Raises:
        TypeError: If `executor` is not an executor.
        ValueError: If `jobs` is not positive.
    """
    if jobs is None and executor is None:
        jobs = jobs_of_environment() or 1
    if jobs == "auto":
        jobs = processors() if executor is None else None
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs must be a positive number, not {jobs}")
    if executor is not None:
        return _on_executor(executor, jobs)
    if jobs is None or jobs == 1 or at_work.get():
        return Sequential()
    if _is_free_threaded() or not hasattr(os, "fork"):
        from passel.execution.strategies.threads import Threads

        return Threads(jobs)
    from passel.execution.strategies.fork import Forked

    return Forked(jobs)


def own_threads(jobs: Jobs | None) -> int | None:
    """Return the maximum number of threads of the IR's library in a run; None for no limit.

    Args:
        jobs: As for `strategy_for`.
    """
    jobs = jobs_of_environment() if jobs is None else jobs
    return None if jobs == "auto" else jobs


def jobs_of(text: str) -> Jobs:
    """Return a number of jobs, or `auto`, from text.

    Raises:
        ValueError: The text is neither.
    """
    if text == "auto":
        return "auto"
    if not re.fullmatch("0*[1-9][0-9]{0,17}", text):
        raise ValueError(f"takes a positive number or auto, not '{text}'")
    return int(text)


def jobs_of_environment() -> Jobs | None:
    """Return the value of the environment's `PASSEL_JOBS`; None if it is not set.

    Raises:
        ValueError: The value is wrong.
    """
    text = os.environ.get("PASSEL_JOBS")
    try:
        return jobs_of(text) if text else None
    except ValueError as error:
        raise ValueError(f"the environment variable PASSEL_JOBS {error}") from None


def _on_executor(executor: Executor, jobs: int | None) -> SiblingStrategy:
    from concurrent.futures import ThreadPoolExecutor

    from passel.execution.strategies.executor import OnExecutor
    from passel.execution.strategies.threads import Threads

    if isinstance(executor, ThreadPoolExecutor):
        return Threads(jobs, executor)
    if (of_cluster := getattr(executor, "get_executor", None)) is not None:  # a client of Dask
        executor = of_cluster()
    if callable(getattr(executor, "submit", None)):
        return OnExecutor(executor, jobs)
    raise TypeError(f"expected an executor, such as ProcessPoolExecutor(), got {executor!r}")


def _is_free_threaded() -> bool:
    """Return whether several threads of this process run Python code at once."""
    is_locked = getattr(sys, "_is_gil_enabled", None)
    return is_locked is not None and not is_locked()
