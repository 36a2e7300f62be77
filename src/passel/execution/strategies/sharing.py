"""Common parts of the strategies with workers."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from contextlib import closing, contextmanager
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from passel.diagnostics import brief, log_warning_once
from passel.errors import EncodingError
from passel.execution.loop import this_process
from passel.execution.process_state import standard_streams
from passel.execution.strategies import Sequential
from passel.passes.outcome import sum_of
from passel.passes.reachable import walk
from passel.schedule import passes_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from passel.execution.level import Level
    from passel.execution.run import Run
    from passel.ir import SendsOps
    from passel.passes import PassContext
    from passel.passes.outcome import Outcome

_SHARES_PER_WORKER = 4
"""More balance better, fewer cost less."""


class Sharing(ABC):
    """Base class of strategies with workers.

    Args:
        jobs: The maximum number of workers.

    Attributes:
        workers: The name of the workers in messages.
        declared: The attribute of passes that allows these workers.
        place: The noun for the place where a pass without this attribute must run.
    """

    workers: str
    declared: ClassVar[str] = "can_fork"
    place: ClassVar[str] = "process"

    def __init__(self, jobs: int) -> None:
        self.jobs: int = jobs

    def share(self, run: Run, level: Level, /) -> Iterable[Outcome]:
        """Run all tasks of a level, and yield their outcomes in program order."""
        limits = {task.plan.pipeline.jobs for task in level.tasks} - {None}
        jobs = min(self.jobs, *limits, len(level.tasks))
        if jobs > 1:
            why = self.rejection(run, level)
            if not why:
                return self.share_out(run, level, jobs)
            log_warning_once(f"no {self.workers}: {why}")
        return map(run.run_sibling, level.tasks)

    @abstractmethod
    def share_out(self, run: Run, level: Level, jobs: int, /) -> Iterable[Outcome]:
        """Run all tasks in `jobs` workers."""

    def rejection(self, run: Run, level: Level) -> str:
        """Return the reason why workers cannot run the tasks; empty if they can."""
        only = f"in one {self.place} only"
        if bound := run.hooks.bound_here():
            return f"{' and '.join(bound)} can observe passes {only}"
        if run.gates:
            return f"gates run {only}"
        for step in passes_of(level.step):
            if not all(getattr(each.pass_, self.declared) for each in walk(step.pass_)):
                return f"pass '{step.pass_.short_name}' runs {only}"
        return ""

    def shares_of(self, tasks: Sequence[Any], jobs: int) -> list[Sequence[Any]]:
        """Return tasks divided into shares: one per job if jobs are limited, else more."""
        count = jobs if jobs < min(self.jobs, len(tasks)) else jobs * _SHARES_PER_WORKER
        size = -(-len(tasks) // count)
        return [tasks[start : start + size] for start in range(0, len(tasks), size)]


# -- Work of other processes, and what comes back ------------------------------------------------


class Answer(NamedTuple):
    """Answer of another process to a share of the tasks.

    Attributes:
        done: The outcome of each task, with the encoded changes of its op; empty if none was run.
        matched: The keys of the nested pipelines that had an op to run on.
        parts: The parts of instrumentations that observed the share.
        lost: The numbers of the tasks in the share during which the worker died.
        how: The fate of the process, such as `was killed by SIGSEGV`.
        at: The id of the last step of the worker; 0 if unknown.
        refused: The reason why no task was run, if it should be reported.
    """

    done: Sequence[tuple[Outcome, bytes]] = ()
    matched: frozenset[str] = frozenset()
    parts: Any = ()
    lost: Sequence[int] = ()
    how: str = ""
    at: int = 0
    refused: str = ""


class Elsewhere(Sharing):
    """Base class of strategies with worker processes; the main process runs refused tasks."""

    def share_out(self, run: Run, level: Level, jobs: int, /) -> Iterable[Outcome]:
        """Run all tasks in `jobs` workers, and refused tasks in the main process."""
        shares, is_again = self.shares_of(level.tasks, jobs), False
        with closing(self.answers(run, level, shares, jobs)) as answers:
            for share, answer in zip(shares, answers, strict=True):
                if answer.refused:
                    log_warning_once(f"a worker rejected its share: {answer.refused}")
                # What was done again here may have changed ops that a worker had as they were.
                may_take = answer.done and (not is_again or all(map(level.is_as_known, share)))
                outcomes = _take(run, level, share, answer) if may_take else None
                if outcomes is not None:
                    yield from outcomes
                    continue
                is_again = True
                for number, task in enumerate(share):
                    is_lost = number in answer.lost
                    yield _fail(run, level, task, answer) if is_lost else run.run_sibling(task)

    @abstractmethod
    def answers(
        self, run: Run, level: Level, shares: Sequence[Sequence[Any]], jobs: int, /
    ) -> Generator[Answer]:
        """Yield the answer to each share, in order."""


def _fail(run: Run, level: Level, task: Any, answer: Answer) -> Outcome:
    """Return the outcome of a task whose worker has died."""
    suspects = level.suspects([task.number])
    if found := [step for step in suspects.passes if id(step) == answer.at]:
        suspects = suspects._replace(passes=found)
    return run.reports.tell((), run.failing.died(suspects, task.op, answer.how))


def work_off(run: Run, tasks: Sequence[Any]) -> Iterator[tuple[Outcome, bytes]]:
    """Run tasks in a worker; yield the outcome of each with the encoded changes of its op.

    Raises:
        EncodingError: If the main process must run the task.
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
    """Reject the work of a worker whose passes have changed ops other than their own.

    Args:
        level: The level of the ops.
    """
    streams = standard_streams()
    level.track_all()
    yield
    if standard_streams() != streams or not level.is_intact():  # an error of the main process
        raise EncodingError("passes changed more than the ops that they ran on")


def _take(run: Run, level: Level, tasks: Sequence[Any], answer: Answer) -> list[Outcome] | None:
    """Apply the changes that another process made to the ops of tasks; return the outcomes.

    Returns None, and changes nothing, if any part of the answer cannot be read.
    """
    sends, collects = cast("SendsOps", run.adapter), gc.isenabled()
    gc.disable()  # much is made, and nothing becomes garbage
    try:
        read = partial(sends.decode_changes, context=run.ir_context)
        done = zip(tasks, answer.done, strict=True)
        changes = [read(task.op, data) for task, (_, data) in done if data]
        for change in changes:
            change()
    except Exception as error:  # noqa: BLE001 - attributes of others are read
        log_warning_once(f"the results of workers cannot be read; redoing the work: {brief(error)}")
        return None
    finally:
        if collects:
            gc.enable()
    outcomes = [outcome for outcome, _ in answer.done]
    merge(run, answer.parts, outcomes)
    run.matched |= answer.matched
    for task, outcome in zip(tasks, outcomes, strict=True):
        task.valid_state = level.state_of(task) if outcome.changed is False else None
        level.leave(task, outcome)
    return outcomes


# -- A worker's part of a run --------------------------------------------------------------------


def branch(run: Run, tasks: Sequence[PassContext[Any]]) -> tuple[Run, Any]:
    """Return the run of a worker for some tasks, with parts of the instrumentations."""
    other = copy(run)
    hooks, parts = run.hooks.branch()
    other.hooks, other.reports = hooks, run.reports.branch()
    other.process = this_process[0]
    other.states, other.strategy, hooks.run = dict(run.states), Sequential(), other
    for task in tasks:
        task.run = other
        if task.cached is not None:  # enclosing passes have asked for analyses of this op
            task.cached.compute_by(other.compute)
    return other, parts


def merge(run: Run, parts: Any, outcomes: Sequence[Outcome]) -> None:
    """Merge the observations of a worker, and report its diagnostics and failures."""
    run.reports.take(sum_of(outcomes))
    run.hooks.merge(parts)
    run.reports.catch_up()
