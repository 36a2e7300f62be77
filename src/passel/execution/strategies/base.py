"""The work that a strategy is given, and the plainest strategy."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from passel.diagnostics import log_warning_once
from passel.execution.strategies.placement import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.placement import Placement
    from passel.execution.strategies.transport import Packed, Transport


at_work: ContextVar[bool] = ContextVar("at_work", default=False)
"""Whether this thread or process does tasks for a strategy, and so shares none of its own."""


class Branch(NamedTuple):
    """The work on some siblings as another thread or process does it.

    Attributes:
        work: The work.
        observed: Encloses all that is done: the parts observe it.
        parts: Parts of what observes the run, for `SiblingWork.merge`.
    """

    work: SiblingWork
    observed: AbstractContextManager[Any]
    parts: Any


class SiblingWork(Protocol):
    """The work on the ops immediately inside one op, as strategies see it."""

    def __call__(self, task: Any, /) -> Outcome:
        """Do one task."""
        ...

    @property
    def placement(self) -> Placement:
        """Where tasks may be done."""
        ...

    @property
    def jobs(self) -> int | None:
        """How many tasks may be done at once, whatever the strategy would; None for no limit."""
        ...

    @property
    def timeout(self) -> float | None:
        """How many seconds a pass may take on one op; None for any time."""
        ...

    @property
    def transport(self) -> Transport:
        """Moves ops to other processes, and what has changed in them back."""
        ...

    def branch(self, tasks: Sequence[Any], /) -> Branch:
        """Return what does some tasks in another thread, or in a copy of this process.

        Called in the thread of the run, or in that copy.
        """
        ...

    def merge(self, observers: Any, outcomes: Sequence[Outcome], /) -> None:
        """Take over what such parts have observed, maybe in another process, and report it.

        Called in program order, with the outcomes of the tasks.
        """
        ...

    def keep(self, why: str, /) -> None:
        """Take note that tasks are not shared out, and why."""
        ...

    def apart(self) -> AbstractContextManager[None]:
        """Enclose the tasks that a worker does; its exit refuses them if passes left their ops.

        Raises:
            EncodingError: They have changed more than their ops.
        """
        ...

    def work_off(self, tasks: Sequence[Any], /) -> Iterator[tuple[Outcome, Packed]]:
        """Do tasks in a worker, up to an interrupt, and yield the outcome and changes of each.

        Raises:
            EncodingError: The changes cannot be sent.
        """
        ...

    def is_as_known(self, task: Any, /) -> bool:
        """Return whether nothing that was done to other ops has changed a task's op."""
        ...

    def unpack(self, task: Any, outcome: Outcome, packed: Packed, /) -> None:
        """Do to the op here what a task has done to it in another process."""
        ...

    def die(self, task: Any, how: str, /) -> Outcome:
        """Return the outcome of a task whose process has died."""
        ...


class SiblingStrategy(Protocol):
    """Shares out the tasks of one nested step.

    Attributes:
        place: Where tasks are done. Here each ends before the next one starts, so that what it
            reports can be reported at once.
        where: What does the tasks, as messages name it.
        is_automatic: Whether it was chosen by `jobs="auto"`.
        jobs: How many tasks it does at once.
    """

    place: Place
    where: str
    is_automatic: bool
    jobs: int

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        ...


def processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


_MOST_PER_PROCESSOR = 8


def workers_for(jobs: int) -> int:
    """Return how many worker processes to start for so many jobs: more would only wait."""
    return min(jobs, _MOST_PER_PROCESSOR * processors())


def most_at_once(jobs: int, work: SiblingWork) -> int:
    """Return how many tasks may be done at once, of a strategy that would do so many."""
    return jobs if work.jobs is None else min(jobs, work.jobs)


def may_share(
    strategy: SiblingStrategy, work: SiblingWork, tasks: Sequence[Any], jobs: int | None = None
) -> bool:
    """Return whether a strategy may share tasks out; the report of timing says why not.

    So does the log if it is not for lack of tasks, and the strategy was asked for.
    """
    # One task is not shared, unless it might have to be ended with its process.
    is_guarded = strategy.place is Place.COPIES and work.timeout is not None
    if at_work.get() or len(tasks) < 2 - is_guarded:
        return False
    if most_at_once(strategy.jobs if jobs is None else jobs, work) < 2:  # noqa: PLR2004 - as above
        work.keep("they are to run one by one")
        return False
    why = work.placement.obstacles.get(strategy.place)
    if why:
        work.keep(why)
        if not strategy.is_automatic:
            log_warning_once(f"no {strategy.where}: {why}")
    return not why


def chunks_of(tasks: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Return the tasks in up to so many chunks, in order."""
    size = max(1, -(-len(tasks) // count))
    return [tasks[start : start + size] for start in range(0, len(tasks), size)]


class Sequential:
    """One task after the other, in the calling thread."""

    place = Place.HERE
    where = "this thread"
    is_automatic = False
    jobs = 1

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do the tasks lazily, each when its outcome is taken."""
        return map(work, tasks)
