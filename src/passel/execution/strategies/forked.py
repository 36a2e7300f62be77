"""Siblings in forked worker processes.

Workers start as copies of this process, so that they have all ops, contexts and cached analyses.
They send back what they have changed. The tasks are handed out in chunks; results are taken in
program order. What no worker can do is done here: an op that cannot be sent, and all that a worker
did whose passes have changed more than their own ops.
"""

from __future__ import annotations

from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.base import (
    can_share,
    most_at_once,
    processors,
    workers_for,
)
from passel.execution.strategies.cost_model import CostModel, rehearse_forked
from passel.execution.strategies.placement import Place
from passel.execution.strategies.results import Result, how_it_ended, taken

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import SiblingStrategy, SiblingWork
    from passel.execution.strategies.fork_map import Death, Forks

_CHUNKS_PER_WORKER = 8
"""More balance better, fewer cost less."""


class Forked:
    """Tasks in worker processes, where that pays.

    The first tasks are done here, to see what they take. Python objects that passes change
    beside the IR are changed in the workers, and lost.

    Args:
        jobs: How many processes may work at once.
        eager: Whether to fork in any case, even for two tasks.
        helps: Whether this process may work as well.
        is_automatic: Whether it was chosen by `jobs="auto"`.
        otherwise: Makes what does tasks on ops that do not survive a fork, of so many processes;
            by default these are done one after the other.
    """

    place = Place.COPIES
    where = "worker processes"

    def __init__(
        self,
        jobs: int,
        *,
        eager: bool = False,
        helps: bool = True,
        is_automatic: bool = False,
        otherwise: Callable[[int], SiblingStrategy] | None = None,
    ) -> None:
        self.jobs: int = workers_for(jobs)
        self.is_automatic: bool = is_automatic
        self._otherwise = otherwise
        self._eager = eager
        self._helps = helps

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        if not can_share(work, tasks, self.jobs):
            return map(work, tasks)
        if Place.COPIES not in work.placement.obstacles:
            return self._share(work, tasks)
        if self._otherwise is not None and not work.placement.is_native:
            return self._otherwise(self.jobs)(work, tasks)
        return map(work, tasks)

    def _share(self, work: SiblingWork, tasks: Sequence[Any]) -> Generator[Outcome]:
        done = 0
        if not self._eager:
            most = min(most_at_once(self.jobs, work), max(2, processors()))
            helps = self._helps and work.placement.parent_may_help
            done = yield from CostModel(work, rehearse_forked, most, helps=helps).run(tasks)
        if done < len(tasks):
            yield from self._fork(work, tasks[done:])

    def _fork(self, work: SiblingWork, tasks: Sequence[Any]) -> Generator[Outcome]:
        jobs = most_at_once(self.jobs, work)
        chunks = _shrinking_chunks(tasks, jobs)
        here: dict[int, list[Outcome]] = {}
        is_interrupted = is_again = False

        def help_out(number: int) -> bool:
            nonlocal is_interrupted
            outcomes = here[number] = []
            for task in chunks[number]:
                outcomes.append(work(task))
                if outcomes[-1].interrupt is not None:
                    is_interrupted = True
                    break
            return not is_interrupted

        helps = self._helps and work.placement.parent_may_help
        forks = _forks(work, chunks, jobs, help_out if helps else None)
        for number, chunk in enumerate(chunks):
            if number in here:
                yield from here[number]
                continue
            result = forks.results.pop(number, None)
            # What was done again here may have changed ops that a worker had as they were.
            if result is not None and (not is_again or all(map(work.is_as_known, chunk))):
                yield from _take(work, chunk, result)
            elif not is_interrupted:
                is_again = True
                yield from _do_again(work, chunk, forks.deaths.get(number))


def _forks(
    work: SiblingWork,
    chunks: Sequence[Sequence[Any]],
    jobs: int,
    parent: Callable[[int], bool] | None = None,
) -> Forks[Any]:
    """Let workers do chunks; each result ends with what has observed it."""
    from passel.execution.strategies.fork_map import fork_map  # noqa: PLC0415 - most runs are over before

    def do(chunk: Sequence[Any]) -> Iterator[Any]:
        branch = work.branch(chunk)
        with branch.observed:
            yield from branch.work.work_off(chunk)
        yield branch.parts

    @contextmanager
    def body() -> Generator[Callable[[Sequence[Any]], Iterator[Any]]]:
        with work.apart():
            yield do

    return fork_map(body, chunks, jobs, parent=parent)


def _take(work: SiblingWork, chunk: Sequence[Any], result: list[Any]) -> Iterator[Outcome]:
    *done, observers = result
    return taken(work, chunk, Result(done, observers))


def _do_again(work: SiblingWork, chunk: Sequence[Any], death: Death | None) -> Iterator[Outcome]:
    """Do a chunk that no worker has done: here, or each task alone if a worker has died."""
    if death is None:
        yield from map(work, chunk)
        return
    for number, task in enumerate(chunk):
        if number == death.step:
            yield work.die(task, how_it_ended(death.code, work))
            continue
        forks = _forks(work, [[task]], 1)
        if 0 in forks.results:
            yield from _take(work, [task], forks.results[0])
        elif 0 in forks.deaths:
            yield work.die(task, how_it_ended(forks.deaths[0].code, work))
        else:
            yield work(task)


def _shrinking_chunks(tasks: Sequence[Any], workers: int) -> list[Sequence[Any]]:
    """Return the tasks in chunks, in order.

    They get shorter at the end, so that no worker has a long one when the others have none.
    """
    most = ceil(len(tasks) / (workers * _CHUNKS_PER_WORKER))
    chunks: list[Sequence[Any]] = []
    start = 0
    while start < len(tasks):
        end = start + max(1, min(most, (len(tasks) - start) // (2 * workers)))
        chunks.append(tasks[start:end])
        start = end
    return chunks
