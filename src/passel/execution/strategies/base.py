"""The work that a strategy is given, and the plainest strategy."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from passel.execution.outcome import Outcome


at_work: ContextVar[bool] = ContextVar("at_work", default=False)
"""Whether this thread or process does tasks for a strategy, and so shares none of its own."""


class Branch(NamedTuple):
    """The work on siblings as another thread does it.

    Attributes:
        run: Does a task.
        observed: Around all that is done: the parts observe it.
        parts: Parts of what observes the run, for `SiblingWork.merge`.
    """

    run: Callable[[Any], Outcome]
    observed: AbstractContextManager[Any]
    parts: Any


class LeftBehind(BaseException):
    """Raised in a worker by passes that ask for what has not come along; never leaves passel."""


class SiblingWork(Protocol):
    """The work on the ops immediately inside of one op, as strategies see it."""

    def __call__(self, task: Any, /) -> Outcome:
        """Do one task."""
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
    def is_trusted(self) -> bool:
        """Whether its passes are trusted to change nothing but their ops."""
        ...

    @property
    def may_stay(self) -> bool:
        """Whether this process may do tasks while others do, so that nobody can tell.

        Not if what a task could do to its process is to be survived.
        """
        ...

    @property
    def can_leave(self) -> bool:
        """Whether tasks can be done by another process, so that nobody can tell."""
        ...

    @property
    def held_by(self) -> str:
        """The name of the IR if passes could leave but it cannot send their ops; else empty."""
        ...

    @property
    def can_thread(self) -> bool:
        """Whether tasks can be done by several threads at once, so that nobody can tell."""
        ...

    def branch(self) -> Branch:
        """Return what does tasks in another thread; called in the thread of the run."""
        ...

    def observed(self) -> AbstractContextManager[Any]:
        """Let parts of what observes the run observe what is done inside, and yield them."""
        ...

    def merge(self, observers: Any, /) -> None:
        """Take over what such parts have observed, maybe in another process."""
        ...

    def start_apart(self) -> None:
        """Called in another process before it does tasks."""
        ...

    def note(self, task: Any, /) -> Any:
        """Return what need not be sent of a task's op, before the task is done."""
        ...

    def pack(self, task: Any, outcome: Outcome, noted: Any, /) -> Any:
        """Return what a task has done to its op, as plain data.

        Raises:
            EncodingError: It cannot be sent.
        """
        ...

    def is_as_known(self, task: Any, /) -> bool:
        """Return whether nothing that was done to other ops has changed a task's op."""
        ...

    def unpack(self, task: Any, packed: Any, /) -> None:
        """Do to the op here what a task has done to it in another process."""
        ...

    @property
    def ships_ops(self) -> bool:
        """Whether the IR can send ops to processes that know nothing of them."""
        ...

    @property
    def can_ship(self) -> bool:
        """Whether tasks can be done by a process that knows nothing of them, as far as is known."""
        ...

    def is_sound(self) -> bool:
        """Return whether the tasks that were done here have changed nothing but their own ops."""
        ...

    def die(self, task: Any, how: str, /) -> Outcome:
        """Return the outcome of a task whose process has died."""
        ...


class ShippableWork(SiblingWork, Protocol):
    """Work of which tasks can be done by processes that know nothing of them."""

    def prepare_shipping(self) -> None:
        """Make ready what all processes need that know nothing of the tasks.

        Raises:
            EncodingError: It cannot be sent.
        """
        ...

    def ship(self, tasks: Sequence[Any], /) -> tuple[bytes, Any]:
        """Return tasks for the function `work_off`, and what will not be sent back.

        Raises:
            EncodingError: They cannot be sent.
        """
        ...

    def receive(self, share: bytes, /) -> None:
        """Make copies of the ops that `ship` has sent, as who gets them does, and forget them.

        Raises:
            EncodingError: They cannot be sent.
        """
        ...

    def unpack_shipped(self, task: Any, packed: Any, noted: Any, /) -> None:
        """Do to the op here what a task has done to it there.

        Args:
            task: The task.
            packed: What it has done.
            noted: What was not sent back, as `ship` has said.
        """
        ...


class SiblingStrategy(Protocol):
    """Shares out the tasks of one nested step.

    Attributes:
        in_order: Whether each task ends before the next one starts, so that what it reports can
            be reported at once.
        uses_threads: Whether tasks are done by several threads of this process.
        ships: Whether tasks are done by processes that know nothing of them.
        where: What does the tasks, as messages name it.
    """

    in_order: bool
    uses_threads: bool
    ships: bool
    where: str

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


def chunks_of(tasks: Sequence[Any], count: int) -> dict[int, Sequence[Any]]:
    """Return the tasks in up to so many chunks, by the numbers of these, in order."""
    size = max(1, -(-len(tasks) // count))
    starts = range(0, len(tasks), size)
    return {number: tasks[start : start + size] for number, start in enumerate(starts)}


class Sequential:
    """One task after the other, in the calling thread."""

    in_order = True
    uses_threads = False
    ships = False
    where = "this thread"

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do the tasks lazily: one that nobody asks for is not done."""
        return map(work, tasks)
