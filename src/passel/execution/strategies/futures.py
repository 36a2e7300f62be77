"""Siblings on the workers of an executor: other processes, or other machines.

Ops are sent as bytes, in shares, with the passes. What a worker cannot do is done here; what a
worker had that is gone is done again, in a process of its own, so that an op that kills
processes is named and does not kill this one.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from concurrent.futures import TimeoutError as NotReady
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.diagnostics import brief, log_warning
from passel.errors import EncodingError
from passel.execution.strategies.base import chunks_of, most_at_once
from passel.execution.strategies.forked import do_again
from passel.execution.strategies.parcels import Refusal, pack, pack_assignment
from passel.execution.strategies.placement import Place
from passel.execution.strategies.remote import do_parcel
from passel.execution.strategies.stopping import result_of
from passel.execution.strategies.transport import Result

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import ChildRun

_CHUNKS_PER_WORKER = 4

_PATIENCE = 0.5
"""Seconds that the workers of a process pool have to end after an interrupt."""


class Futures:
    """Tasks on the workers of an executor, where the IR and all passes can be sent.

    Args:
        executor: The executor, whose workers can import passel, the IR and the passes.
        jobs: How many shares at once; None for as many as it takes.
    """

    place = Place.PROCESSES
    where = "workers of an executor"

    def __init__(self, executor: Executor, jobs: int | None = None) -> None:
        self._executor = executor
        self._limit = jobs
        self.jobs: int = jobs or workers_of(executor)

    def __call__(self, work: ChildRun, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        try:
            assignment = pack_assignment(work.transport.assignment())
        except EncodingError as error:
            log_warning(f"no {self.where}: {error}")
            return map(work, tasks)
        return self._share(work, tasks, assignment)

    def _share(self, work: ChildRun, tasks: Sequence[Any], assignment: bytes) -> Generator[Outcome]:
        jobs = most_at_once(self.jobs, work)
        chunks = chunks_of(tasks, jobs * _CHUNKS_PER_WORKER)
        is_limited = self._limit is not None or work.jobs is not None
        window = jobs if is_limited else len(chunks)  # how many shares it has at once
        sent: deque[_Share] = deque()
        following, told = iter(chunks), set[str]()
        try:
            for _ in chunks:
                while len(sent) < window and (chunk := next(following, None)):
                    sent.append(self._send(work, chunk, assignment))
                yield from _outcomes_of(work, sent.popleft(), told)
        finally:
            if sent:
                _end(self._executor, sent)

    def _send(self, work: ChildRun, chunk: Sequence[Any], assignment: bytes) -> _Share:
        try:
            data = pack(assignment, work.transport.parcel(chunk))
            return _Share(chunk, self._executor.submit(do_parcel, data))
        except EncodingError:
            return _Share(chunk)
        except RuntimeError as error:  # the executor is broken, or was shut down
            return _Share(chunk, lost=error)


class _Share(NamedTuple):
    """Some tasks on their way.

    Attributes:
        chunk: The tasks.
        future: What comes back; None if they were not sent.
        lost: Why they were not, if they could be.
    """

    chunk: Sequence[Any]
    future: Future[bytes] | None = None
    lost: Exception | None = None


def _outcomes_of(work: ChildRun, share: _Share, told: set[str]) -> Iterator[Outcome]:
    """Wait for a share, do what no worker has done, and yield the outcomes.

    Args:
        work: The work.
        share: The share.
        told: What the log says already of shares that were not done.
    """
    answer, lost, why = None, share.lost, ""
    if share.future is not None:
        try:
            answer = pickle.loads(result_of(share.future))  # noqa: S301 - a worker's
        except (Exception, NotReady) as error:  # noqa: BLE001 - executors raise what they like
            lost = error
    # What was done here meanwhile may have changed ops that the worker had as they were.
    if isinstance(answer, Result) and all(map(work.is_as_known, share.chunk)):
        yield from work.take(share.chunk, answer)
        return
    if lost is not None:
        why = f"a worker is gone ({brief(lost)}); its share is run again"
    elif isinstance(answer, Refusal) and answer.why:
        why = f"a worker refused its share: {answer.why}"
    if why and why not in told:
        told.add(why)
        log_warning(why)
    yield from map(work, share.chunk) if lost is None else do_again(work, share.chunk)


def _end(executor: Executor, sent: Iterable[_Share]) -> None:
    """End what is not waited for any more, as far as the executor lets it."""
    waiting = [share.future for share in sent if share.future is not None]
    processes: Any = getattr(executor, "_processes", None)
    if not isinstance(processes, dict) or not any(future.running() for future in waiting):
        for future in waiting:
            future.cancel()
        return
    # Not cancelled: a pool whose processes are gone says so to all, and trips over such ones.
    pool = cast("dict[int, Any]", processes)
    for pid in tuple(pool):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    for process in tuple(pool.values()):
        process.join(_PATIENCE / len(pool))
        if process.is_alive():
            process.kill()


def workers_of(executor: Executor) -> int:
    """Return how many workers an executor has, as far as it tells, or how many cores there are."""
    for name in ("_max_workers", "_max_processes", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)  # of Dask
    with suppress(Exception):
        if client is not None and (threads := sum(client.nthreads().values())):
            return threads
    return os.cpu_count() or 1
