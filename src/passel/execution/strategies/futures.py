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
from typing import TYPE_CHECKING, Any, cast

from passel.diagnostics import brief, log_warning
from passel.errors import EncodingError
from passel.execution.strategies.base import can_share, chunks_of, is_allowed, most_at_once
from passel.execution.strategies.placement import Place
from passel.execution.strategies.remote import do_parcel
from passel.execution.strategies.results import Result, how_it_ended, taken
from passel.execution.strategies.stopping import result_of
from passel.execution.strategies.workers import StartedWorkers, WorkerEndedError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import SiblingWork

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
    is_automatic = False

    def __init__(self, executor: Executor, jobs: int | None = None) -> None:
        self._executor = executor
        self._limit = jobs
        self.jobs: int = jobs or workers_of(executor)

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        if not can_share(work, tasks, 2) or not is_allowed(self, work):
            return map(work, tasks)
        try:
            work.transport.prepare()
        except EncodingError as error:
            log_warning(f"no {self.where}: {error}")
            return map(work, tasks)
        return self._share(work, tasks)

    def _share(self, work: SiblingWork, tasks: Sequence[Any]) -> Generator[Outcome]:
        jobs = most_at_once(self.jobs, work)
        is_limited = self._limit is not None or work.jobs is not None
        window = jobs if is_limited else None
        return share_out(work, tasks, self._executor, jobs * _CHUNKS_PER_WORKER, window)


def share_out(
    work: SiblingWork,
    tasks: Sequence[Any],
    executor: Executor,
    count: int,
    window: int | None = None,
) -> Generator[Outcome]:
    """Let an executor do tasks, and yield their outcomes in the order of the tasks.

    Args:
        work: The work, of which `Transport.prepare` was called.
        tasks: The tasks.
        executor: The executor.
        count: Into how many shares they are cut.
        window: How many shares it has at once; None for all.
    """
    chunks = chunks_of(tasks, count)
    sent: deque[Sent] = deque()
    told: set[str] = set()
    following, substitute = iter(chunks), StartedWorkers(1)
    try:
        for _ in chunks:
            while len(sent) < (window or len(chunks)) and (chunk := next(following, None)):
                sent.append(_send(work, chunk, executor))
            yield from outcomes_of(work, sent.popleft(), substitute, told)
    finally:
        substitute.shutdown()
        if sent:
            _end(executor, sent)


def _send(work: SiblingWork, chunk: Sequence[Any], executor: Executor) -> Sent:
    try:
        data, known = work.transport.ship(chunk)
    except EncodingError:
        return Sent(chunk)
    try:
        return Sent(chunk, known, executor.submit(do_parcel, data))
    except RuntimeError as error:  # it is broken, or was shut down
        return Sent(chunk, known, lost=error)


def _end(executor: Executor, sent: Iterable[Sent]) -> None:
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


class Sent:
    """A share that was sent.

    Attributes:
        chunk: The tasks.
        known: What will not be sent back of their ops.
        future: The share's future; None if it was not sent.
        lost: Why it is not known what became of it.
    """

    def __init__(
        self,
        chunk: Sequence[Any],
        known: Any = None,
        future: Future[bytes] | None = None,
        lost: BaseException | None = None,
    ) -> None:
        self.chunk = chunk
        self.known = known
        self.future = future
        self.lost = lost

    def result(self) -> Result | str:
        """Return the result, or why there is none."""
        if self.future is not None:
            try:
                answer = pickle.loads(result_of(self.future))  # noqa: S301 - a worker's
            except (Exception, NotReady) as error:  # noqa: BLE001 - executors raise what they like
                self.lost = error
            else:
                if isinstance(answer, Result):
                    return answer
                return f"a worker refused its share: {answer.why}" if answer.why else ""
        if self.lost is None:
            return ""
        return f"a worker is gone ({brief(self.lost)}); its share is run again"


def outcomes_of(
    work: SiblingWork, share: Sent, substitute: StartedWorkers, told: set[str]
) -> Iterator[Outcome]:
    """Wait for a share, do what no worker has done, and yield the outcomes.

    Args:
        work: The work.
        share: The share.
        substitute: Another worker, which does what workers are gone with.
        told: What has been said already of shares that were not done.
    """
    result = share.result()
    if isinstance(result, Result):
        # What was done here meanwhile may have changed ops that the worker had as they were.
        if all(map(work.is_as_known, share.chunk)):
            yield from taken(work, share.chunk, result, share.known)
        else:
            yield from map(work, share.chunk)
        return
    if result and result not in told:
        told.add(result)
        log_warning(result)
    yield from _again(work, share, substitute)


def _again(work: SiblingWork, share: Sent, substitute: StartedWorkers) -> Iterator[Outcome]:
    """Do a share that no worker has done: here, or in a process if a worker has died of it."""
    if share.lost is None:
        yield from map(work, share.chunk)
        return
    again = Sent(share.chunk)
    with suppress(EncodingError, RuntimeError):  # it cannot be sent, or no process starts
        data, known = work.transport.ship(share.chunk)
        again = Sent(share.chunk, known, substitute.submit(do_parcel, data))
    result = again.result()
    if isinstance(result, Result):
        yield from taken(work, again.chunk, result, again.known)
    elif not isinstance(again.lost, WorkerEndedError):
        yield from map(work, share.chunk)
    elif len(share.chunk) == 1:
        yield work.die(share.chunk[0], how_it_ended(again.lost.code, work))
    else:
        for task in share.chunk:
            yield from _again(work, Sent([task], lost=share.lost), substitute)


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
