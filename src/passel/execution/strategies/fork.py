"""Siblings in forked worker processes.

Workers start as copies of this process, so that they have all passes, ops and cached analyses.
They send back what they have changed. The tasks are handed out in chunks; results are taken in
program order. What no worker can do is done here: an op that cannot be sent, and all that a
worker did whose passes have changed more than their own ops.
"""

from __future__ import annotations

from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.fork_map import fork_map
from passel.execution.strategies.placement import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import ChildRun

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
        self.jobs: int = jobs

    def __call__(self, work: ChildRun, tasks: Sequence[Any], /) -> Iterator[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        jobs = min(self.jobs, work.jobs or self.jobs)
        return _forked(work, _shrinking_chunks(tasks, jobs), jobs)


def _forked(work: ChildRun, chunks: Sequence[Sequence[Any]], jobs: int) -> Iterator[Outcome]:
    """Let workers do chunks; if one dies, name its task, and do the rest of its chunk in others."""
    forks = fork_map(lambda: _doing_chunks(work), chunks, jobs)
    is_again = False
    for number, chunk in enumerate(chunks):
        result, death = forks.results.pop(number, None), forks.deaths.get(number)
        # What was done again here may have changed ops that a worker had as they were.
        if result is not None and (not is_again or all(map(work.is_as_known, chunk))):
            *done, parts = result
            yield from work.take(chunk, done, parts)
            continue
        is_again = True
        if death is None or death.step >= len(chunk):  # refused, or no task was to blame
            yield from map(work, chunk)
            continue
        before, after = chunk[: death.step], chunk[death.step + 1 :]
        yield from _forked(work, [before] if before else [], 1)
        yield work.die(chunk[death.step], death.describe(), death.in_pass)
        yield from _forked(work, [after] if after else [], 1)


@contextmanager
def _doing_chunks(work: ChildRun) -> Generator[Callable[[Sequence[Any]], Iterator[Any]]]:
    """Do chunks in a worker; each result ends with what has observed it."""

    def do(chunk: Sequence[Any]) -> Iterator[Any]:
        branch = work.branch(chunk)
        with branch.observed:
            yield from branch.work.work_off(chunk)
        yield branch.parts

    with work.apart():
        yield do


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
