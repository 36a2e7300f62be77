"""Siblings one by one, in the calling thread."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.execution.facts import RunFacts
    from passel.execution.level import Level
    from passel.passes.outcome import Outcome


at_work: ContextVar[bool] = ContextVar("at_work", default=False)
"""Whether this thread or process is a worker, and so shares no work of its own."""


class SiblingStrategy(Protocol):
    """Shares out the work on the ops inside of one op."""

    def share(self, run: RunFacts, level: Level, /) -> Iterable[Outcome]:
        """Do all tasks of a level, and yield their outcomes in program order."""
        ...


class Sequential:
    """One op after the other, in the calling thread."""

    def share(self, run: RunFacts, level: Level, /) -> Iterable[Outcome]:
        """Do the tasks as their outcomes are asked for."""
        return map(run.run_sibling, level.tasks)
