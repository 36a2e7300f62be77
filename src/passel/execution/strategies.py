"""Strategies: how siblings share the work of a nested pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passel.execution.outcome import Outcome

TaskT = TypeVar("TaskT")


class SiblingStrategy(Protocol):
    """Runs the tasks of one nested step.

    Attributes:
        in_order: Whether each task ends before the next one starts, so that what it reports can
            be reported at once.
    """

    in_order: bool

    def __call__(
        self, run: Callable[[TaskT], Outcome], tasks: Sequence[TaskT], /
    ) -> Iterable[Outcome]:
        """Run all tasks, and yield their outcomes in the order of the tasks."""
        ...


class Sequential:
    """One task after the other, in the calling thread."""

    in_order = True

    def __call__(
        self, run: Callable[[TaskT], Outcome], tasks: Sequence[TaskT], /
    ) -> Iterable[Outcome]:
        """Run the tasks lazily: one that nobody asks for is not run."""
        return map(run, tasks)
