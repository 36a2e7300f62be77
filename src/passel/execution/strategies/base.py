"""The work that a strategy is given, and the plainest strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from passel.execution.outcome import Outcome


class SiblingWork(Protocol):
    """The work on the ops immediately inside of one op, as strategies see it."""

    def __call__(self, task: Any, /) -> Outcome:
        """Do one task."""
        ...

    @property
    def can_leave(self) -> bool:
        """Whether tasks can be done by another process, so that nobody can tell."""
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

    def unpack(self, task: Any, packed: Any, /) -> None:
        """Do to the op here what a task has done to it in another process."""
        ...

    def is_sound(self) -> bool:
        """Return whether the tasks that were done here have changed nothing but their own ops."""
        ...

    def die(self, task: Any, how: str, /) -> Outcome:
        """Return the outcome of a task whose process has died."""
        ...


class SiblingStrategy(Protocol):
    """Shares out the tasks of one nested step.

    Attributes:
        in_order: Whether each task ends before the next one starts, so that what it reports can
            be reported at once.
    """

    in_order: bool

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        ...


class Sequential:
    """One task after the other, in the calling thread."""

    in_order = True

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do the tasks lazily: one that nobody asks for is not done."""
        return map(work, tasks)
