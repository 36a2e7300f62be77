"""Siblings in forked worker processes.

Workers start as copies of this process, so that they have all passes, ops and cached analyses.
They send back what they have changed. Where ops do not survive a fork, as MLIR's, whose threads are
missing in the copy, workers get copies of the ops. The tasks are handed out in chunks; results are
taken in program order. What no worker can do is done here: an op that cannot be sent, and all that
a worker did whose passes have changed more than their own ops.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from passel.errors import EncodingError
from passel.execution.strategies.base import most_at_once, workers_for
from passel.execution.strategies.placement import Place
from passel.execution.strategies.transport import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import ChildRun
    from passel.execution.strategies.fork_map import Death, Forks
    from passel.execution.strategies.parcels import Assignment, Parcel

_CHUNKS_PER_WORKER = 8
"""More balance better, fewer cost less."""


class Forked:
    """Tasks in worker processes.

    Python objects that passes change beside the IR are changed in the workers, and lost.

    Args:
        jobs: How many processes may work at once.
    """

    place = Place.COPIES
    where = "worker processes"

    def __init__(self, jobs: int) -> None:
        self.jobs: int = workers_for(jobs)

    def __call__(self, work: ChildRun, tasks: Sequence[Any], /) -> Generator[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        jobs = most_at_once(self.jobs, work)
        chunks = _shrinking_chunks(tasks, jobs)
        is_again = False
        forks = _map_chunks(work, chunks, jobs)
        for number, chunk in enumerate(chunks):
            result = forks.results.pop(number, None)
            # What was done again here may have changed ops that a worker had as they were.
            if result is not None and (not is_again or all(map(work.is_as_known, chunk))):
                yield from _take(work, chunk, result)
            else:
                is_again = True
                death = forks.deaths.get(number)
                yield from map(work, chunk) if death is None else do_again(work, chunk, death)


def do_again(work: ChildRun, chunk: Sequence[Any], death: Death | None = None) -> Iterator[Outcome]:
    """Do tasks that were lost with their worker in others, and name those that end processes.

    Args:
        work: The work.
        chunk: The tasks.
        death: How the worker has died, if it was a forked one.
    """
    if not hasattr(os, "fork"):  # on Windows: whatever ends processes may end this one
        yield from map(work, chunk)
        return
    while chunk:
        if death is None:
            forks = _map_chunks(work, [chunk], 1)
            if 0 in forks.results:
                yield from _take(work, chunk, forks.results[0])
                return
            death = forks.deaths.get(0)
        if death is None or death.step >= len(chunk):  # refused, or no task was to blame
            yield from map(work, chunk)
            return
        yield from do_again(work, chunk[: death.step])
        yield work.die(chunk[death.step], death.describe(), death.in_pass)
        chunk, death = chunk[death.step + 1 :], None


def _take(work: ChildRun, chunk: Sequence[Any], result: list[Any]) -> list[Outcome]:
    *done, observers = result
    return work.take(chunk, Result(done, observers))


# -- Chunks in workers ---------------------------------------------------------------------------


def _map_chunks(work: ChildRun, chunks: Sequence[Sequence[Any]], jobs: int) -> Forks[Any]:
    """Let workers do chunks; each result ends with what has observed it."""
    from passel.execution.strategies.fork_map import fork_map  # noqa: PLC0415 - most runs are over before

    if not work.transport.sends_copies:
        return fork_map(partial(_changing_ops, work), chunks, jobs)
    body = partial(_opening_parcels, work.transport.assignment())
    parcels = [_parcel(work, each) for each in chunks]
    return fork_map(body, parcels, jobs)


@contextmanager
def _changing_ops(work: ChildRun) -> Generator[Callable[[Sequence[Any]], Iterator[Any]]]:
    """Do chunks on the ops themselves, as this copy of the process has them."""

    def do(chunk: Sequence[Any]) -> Iterator[Any]:
        branch = work.branch(chunk)
        with branch.observed:
            yield from branch.work.work_off(chunk)
        yield branch.parts

    with work.apart():
        yield do


@contextmanager
def _opening_parcels(assignment: Assignment) -> Generator[Callable[[Parcel | None], Iterator[Any]]]:
    """Do chunks on copies of their ops, where the ops do not survive a fork."""
    from passel.execution.strategies.remote import RemoteWorker  # noqa: PLC0415 - as above

    worker = RemoteWorker(assignment)

    def do(parcel: Parcel | None) -> Iterator[Any]:
        if parcel is None:
            raise EncodingError("its ops cannot be sent")
        yield from worker.do(parcel, worker.receive(parcel))
        yield parcel.parts

    yield do


def _parcel(work: ChildRun, chunk: Sequence[Any]) -> Parcel | None:
    try:
        return work.transport.parcel(chunk)
    except EncodingError:
        return None


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
