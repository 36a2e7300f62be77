"""Sharing: what all strategies that have workers do alike."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from passel.diagnostics import brief, log_warning_once
from passel.errors import EncodingError
from passel.execution.strategies import Sequential
from passel.execution.streams import standard_streams
from passel.passes.reachable import walk
from passel.schedule import passes_in

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from passel.execution.facts import RunFacts
    from passel.execution.level import Level
    from passel.ir import SendsOps
    from passel.passes import PassContext
    from passel.passes.outcome import Outcome

_SHARES_PER_WORKER = 4
"""More balance better, fewer cost less."""


class Sharing(ABC):
    """A strategy that shares tasks out to workers, unless something keeps them here.

    Args:
        jobs: How many workers there are at most.

    Attributes:
        workers: The workers, as messages name them.
        declared: The attribute by which passes say whether they may run there.
        place: What passes run in one of, otherwise.
    """

    workers: str
    declared: ClassVar[str] = "can_fork"
    place: ClassVar[str] = "process"

    def __init__(self, jobs: int) -> None:
        self.jobs: int = jobs

    def share(self, run: RunFacts, level: Level, /) -> Iterable[Outcome]:
        """Do all tasks of a level, and yield their outcomes in program order."""
        limits = {task.plan.pipeline.jobs for task in level.tasks} - {None}
        jobs = min(self.jobs, *limits, len(level.tasks))
        if jobs > 1:
            why = self.obstacle(run, level)
            if not why:
                return self.share_out(run, level, jobs)
            log_warning_once(f"no {self.workers}: {why}")
        return map(run.run_sibling, level.tasks)

    @abstractmethod
    def share_out(self, run: RunFacts, level: Level, jobs: int, /) -> Iterable[Outcome]:
        """Do all tasks in so many workers."""

    def obstacle(self, run: RunFacts, level: Level) -> str:
        """Return why nothing is shared; empty if it is."""
        only = f"in one {self.place} only"
        if run.options.isolation:
            return f"the isolation check is done {only}"
        if bound := run.hooks.bound_here():
            return f"{' and '.join(bound)} can observe passes {only}"
        if run.gates:
            return f"gates are asked {only}"
        if run.options.analyses:
            return f"analyses are verified {only}"
        for step in passes_in(level.step):
            if not all(getattr(each.pass_, self.declared) for each in walk(step.pass_)):
                return f"pass '{step.pass_.name or step.display_name}' runs {only}"
        return ""

    def shares_of(self, tasks: Sequence[Any], jobs: int) -> list[Sequence[Any]]:
        """Return tasks in shares, in order: one for each job if there is a limit, else more."""
        count = jobs if jobs < min(self.jobs, len(tasks)) else jobs * _SHARES_PER_WORKER
        size = -(-len(tasks) // count)
        return [tasks[start : start + size] for start in range(0, len(tasks), size)]


# -- Work of other processes, and what comes back ------------------------------------------------


def work_off(run: RunFacts, tasks: Sequence[Any]) -> Iterator[tuple[Outcome, bytes]]:
    """Do tasks in a worker, and yield the outcome of each with what has changed in its op.

    Raises:
        EncodingError: It is to be done where the tasks come from.
    """
    sends = cast("SendsOps", run.adapter)
    for task in tasks:
        noted = sends.note(task.op)
        outcome = run.run_sibling(task)
        # Names, and an order, come back even where fingerprints see no change.
        is_same = outcome.changed is False and not outcome.failures and noted is None
        yield outcome, b"" if is_same else sends.encode_changes(task.op, noted)


@contextmanager
def fence(level: Level) -> Generator[None]:
    """Refuse work in another process whose passes have left their ops.

    Args:
        level: What the work is on.
    """
    streams = standard_streams()
    level.track_all()
    yield
    if standard_streams() != streams or not level.is_intact():  # an error of the main process
        raise EncodingError("passes have changed more than the ops that they ran on")


def take(
    run: RunFacts,
    level: Level,
    tasks: Sequence[Any],
    done: Sequence[tuple[Outcome, bytes]],
    matched: set[str],
    parts: Any = (),
) -> list[Outcome] | None:
    """Take over what another process has done with tasks; return the outcomes.

    Nothing is taken, and None returned, if anything of it cannot be read.

    Args:
        run: The run.
        level: What the tasks are of.
        tasks: The tasks.
        done: The outcome of each, and what has changed in its op.
        matched: Keys of nested pipelines that have run on some op there.
        parts: What has observed it.
    """
    sends, collects = cast("SendsOps", run.adapter), gc.isenabled()
    gc.disable()  # much is made, and nothing becomes garbage
    try:
        read = partial(sends.decode_changes, context=run.ir_context)
        changes = [read(task.op, data) for task, (_, data) in zip(tasks, done, strict=True) if data]
        for change in changes:
            change()
    except Exception as error:  # noqa: BLE001 - attributes of others are read
        log_warning_once(f"what workers did cannot be read, and is done again: {brief(error)}")
        return None
    finally:
        if collects:
            gc.enable()
    outcomes = [outcome for outcome, _ in done]
    merge(run, parts, outcomes)
    run.matched |= matched
    for task, outcome in zip(tasks, outcomes, strict=True):
        task.good = level.state_of(task) if outcome.changed is False else None
        level.leave(task, outcome)
    return outcomes


# -- A worker's part of a run --------------------------------------------------------------------


def branch(run: RunFacts, tasks: Sequence[PassContext[Any]]) -> tuple[RunFacts, Any]:
    """Return a run as a worker does it for some tasks, with parts of its observers."""
    other: Any = copy(run)
    hooks, parts = run.hooks.branch()
    other.hooks, other.reports = hooks, run.reports.branch()
    other.process = run.this_process
    other.states, other.strategy, hooks.run = dict(run.states), Sequential(), other
    for task in tasks:
        task.run = other
        if task.cached is not None:  # enclosing passes have asked for analyses of this op
            task.cached.serve(other)
    return other, parts


def merge(run: RunFacts, parts: Any, outcomes: Sequence[Outcome]) -> None:
    """Take over what a worker has observed, and report what it has to tell."""
    with run.reports.catching_up(outcomes):
        run.hooks.merge(parts)


def fail_dead(run: RunFacts, level: Level, task: Any, how: str, in_pass: int = 0) -> Outcome:
    """Return the outcome of a task whose worker has died, in a pass if that is known."""
    suspects = level.suspects([task.number])
    if found := [step for step in suspects.passes if id(step) == in_pass]:
        suspects = suspects._replace(passes=found)
    return run.reports.tell((), run.failing.died(suspects, task.op, how))
