"""The parts that all strategies with workers share, in the main process and in the workers.

Workers are threads, forked copies of the main process, or processes of an executor. Each worker
runs shares of the tasks.
"""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from contextlib import closing
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from passel.diagnostics import brief, log_warning_once
from passel.execution.failures import Suspects, suspects_of
from passel.execution.strategies import Sequential, processors
from passel.hooks.observed_run import Reports
from passel.passes.outcome import sum_of
from passel.passes.reachable import walk
from passel.schedule import passes_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from passel.execution.run import Run
    from passel.execution.siblings import Siblings
    from passel.ir import SendsOps
    from passel.passes import PassContext
    from passel.passes.outcome import Outcome
    from passel.schedule import NestedStep

_SHARES_PER_WORKER = 4
"""More shares balance the load better, but cost more."""


class Answer(NamedTuple):
    """The answer of a worker to a share of the tasks.

    Attributes:
        done: A pair for each task: the outcome, and the encoded changes to the task's op, which are
            None if the worker has changed the op itself. If the worker has run no task, the
            sequence is empty.
        parts: The instrumentations that observed the worker's tasks, created by
            `PassInstrumentation.split`.
        lost: The indices, within the share, of the tasks that failed because the worker died.
        how: A phrase that says how the worker ended, such as `was killed by SIGSEGV`.
        at: The Python `id` of the last step that the worker started; 0 if unknown.
        refused: The reason why the worker rejected the share. If the text is empty, the worker
            accepted the share, or rejected it without a reason that the user should know.
    """

    done: Sequence[tuple[Outcome, bytes | None]] = ()
    parts: Any = ()
    lost: Sequence[int] = ()
    how: str = ""
    at: int = 0
    refused: str = ""


class Distribution(Sequential, ABC):
    """The base class of strategies with workers.

    Args:
        jobs: The number of workers among which the tasks are divided. None means all workers of the
            executor. Without an executor, or if the executor does not limit the number of workers,
            None means one worker per processor.
        executor: The executor that runs the tasks; None to start new workers for each step.

    Attributes:
        jobs: The number of workers among which the tasks are divided. An executor itself decides
            how many of its workers run at once.
        workers: The term for the workers in messages, such as `worker processes`.
        declared: The name of the `Pass` attribute that says whether a pass can run in the workers
            of the strategy.
    """

    workers: str
    declared: ClassVar[str] = "can_fork"

    def __init__(self, jobs: int | None = None, executor: Any = None) -> None:
        self.jobs: int = jobs or getattr(executor, "_max_workers", None) or processors()
        self._executor = executor

    def share(self, run: Run, siblings: Siblings, /) -> Iterable[Outcome]:
        """Run all tasks of `siblings`, and yield their outcomes in program order."""
        limits = {task.plan.pipeline.jobs for task in siblings.tasks} - {None}
        if (limit := min([*limits, len(siblings.tasks)])) > 1:
            why = self.rejection(run, siblings)
            if not why:
                return self._share_out(run, siblings, min(self.jobs, limit))
            log_warning_once(f"not using {self.workers}: {why}")
        return super().share(run, siblings)

    def rejection(self, run: Run, siblings: Siblings) -> str:
        """Return the reason why workers cannot run the tasks, or an empty string if they can."""
        if bound := run.hooks.bound_here():
            return f"{' and '.join(bound)} can observe passes only in the calling thread"
        if run.gates:
            return "gates run only in the calling thread"
        for step in passes_of(siblings.step):
            if not all(getattr(each, self.declared) for each, _ in walk(step.pass_)):
                return f"pass '{step.pass_.short_name}' runs only in the calling thread"
        return ""

    def _share_out(self, run: Run, siblings: Siblings, jobs: int, /) -> Iterable[Outcome]:
        """Run all tasks in `jobs` workers, and run rejected tasks in this process.

        Each worker runs consecutive tasks: one share of them if a pipeline limits the number of
        workers, and otherwise several shares of similar size.
        """
        tasks, is_again = siblings.tasks, False
        count = jobs if jobs < min(self.jobs, len(tasks)) else jobs * _SHARES_PER_WORKER
        size = -(-len(tasks) // count)
        shares = [tasks[start : start + size] for start in range(0, len(tasks), size)]
        with closing(self.answers(run, siblings, shares, jobs)) as answers:
            for share, answer in zip(shares, answers, strict=True):
                if answer.refused:
                    log_warning_once(f"a worker rejected its share of the ops: {answer.refused}")
                # A task that ran again here may have changed ops after a worker copied them.
                may_apply = answer.done and (not is_again or all(map(siblings.is_as_known, share)))
                if may_apply and (outcomes := _apply(run, siblings, share, answer)) is not None:
                    yield from outcomes
                    continue
                is_again = True
                for number, task in enumerate(share):
                    if number in answer.lost:
                        yield _fail(run, siblings.step, task, answer)
                    else:
                        yield siblings.run_task(task)

    @abstractmethod
    def answers(
        self, run: Run, siblings: Siblings, shares: Sequence[Sequence[Any]], jobs: int, /
    ) -> Generator[Answer]:
        """Yield a worker's answer for each share of the tasks, in the order of the shares."""


def _fail(run: Run, step: NestedStep, task: PassContext[Any], answer: Answer) -> Outcome:
    """Report the failure of a task whose worker has died, and return the outcome."""
    passes = suspects_of(step, task.op, [task]).passes
    running = [each for each in passes if id(each) == answer.at]
    suspects = Suspects(step, task.op, running or passes)
    message = f"failed: the process that ran passes on it {answer.how}"
    return run.reports.tell(run.failing.of("crashed", suspects, message))


def _apply(
    run: Run, siblings: Siblings, tasks: Sequence[Any], answer: Answer
) -> list[Outcome] | None:
    """Report what a worker has done, apply its changes to the ops, and return the outcomes.

    If any part of the answer cannot be decoded, no op is changed, and the function returns None.
    """
    sends, collects = cast("SendsOps", run.adapter), gc.isenabled()
    gc.disable()  # many objects are created, and none becomes garbage
    try:
        outcomes, encoded = map(list, zip(*answer.done, strict=True))
        changes = [
            data and sends.decode_changes(task.op, data, run.ir_context)
            for task, data in zip(tasks, encoded, strict=True)
        ]
    except Exception as error:  # noqa: BLE001 - decoders of other packages may raise any exception
        log_warning_once(f"repeating the work of a worker with invalid results: {brief(error)}")
        return None
    finally:
        if collects:
            gc.enable()
    for change in filter(None, changes):
        change()
    # Workers are merged in program order, so that diagnostics are reported in program order.
    run.reports.take(sum_of(outcomes))
    run.hooks.merge(answer.parts)
    run.reports.catch_up()
    for task, outcome, data in zip(tasks, outcomes, encoded, strict=True):
        if data is None:
            continue  # a thread of this process has run the task
        task.valid_state = task.valid_state if outcome.changed is False else None
        siblings.leave(task, outcome)
    return outcomes


# -- Workers ---------------------------------------------------------------------------------------


def branch(run: Run, tasks: Sequence[PassContext[Any]]) -> tuple[Run, Any]:
    """Return a copy of a run for a worker's tasks, and the worker's instrumentations."""
    other = copy(run)
    hooks, parts = run.hooks.branch()
    # The main process or thread reports the diagnostics.
    other.hooks, other.reports = hooks, Reports(run.reports.emit and (lambda _: None))
    other.strategy, hooks.run = Sequential(), other
    for task in tasks:
        task.run = other
        if task.cached is not None:  # enclosing passes have requested analyses of this op
            task.cached.compute_by(other.compute)
    return other, parts


def run_tasks(siblings: Siblings, tasks: Sequence[Any]) -> Iterator[tuple[Outcome, bytes]]:
    """Run tasks, and yield each outcome with the encoded changes of the task's op.

    Raises:
        EncodingError: If the changes of an op cannot be encoded.
    """
    sends = cast("SendsOps", siblings.ctx.adapter)
    for task in tasks:
        noted = sends.note(task.op)
        outcome = siblings.run_task(task)
        # Changes that fingerprints ignore, such as new value names, are sent back too.
        is_same = outcome.changed is False and not outcome.failures and noted is None
        yield outcome, b"" if is_same else sends.encode_changes(task.op, noted)
