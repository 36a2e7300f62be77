"""Siblings in forked worker processes.

Workers start as copies of this process, so that they have all ops, contexts and cached analyses,
and nothing has to be sent to them. They send back what they have changed. The tasks are handed
out in chunks, to whoever is free; results are taken in program order, whoever they are from.
Where passes are known to be harmless, this process is one of those who do them.
What cannot be done elsewhere is done here: an op that cannot be sent, and all that a worker did
whose passes have changed more than their own ops.
"""

from __future__ import annotations

import gc
import os
import signal
import struct
import sys
import warnings
from contextlib import suppress
from math import ceil
from mmap import mmap
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn

from passel.diagnostics import log_warning
from passel.errors import EncodingError
from passel.execution.strategies.base import at_work, most_at_once, processors, workers_for
from passel.execution.strategies.results import Result, taken
from passel.execution.strategies.stopping import interrupts_held, status_of
from passel.execution.strategies.trial import Trial, rehearse_forked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import SiblingStrategy, SiblingWork

_TOKEN = struct.Struct("I")

_IDLE, _FINISHED = 2**32 - 1, 2**32 - 2
"""The progress of a worker that has not begun, and of one that has come to its end."""

_FAILED = -1
"""In place of a chunk's number, before what a worker has to say of its own failure."""

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
        unasked: Whether nobody has asked for it, so that it is for passes alone that say that
            they may be taken elsewhere; who runs them has to see to that.
        otherwise: Makes what does tasks on ops that do not survive a fork, of so many processes;
            by default these are done one after the other.
    """

    in_order = False
    uses_threads = False
    ships = False
    where = "worker processes"

    def __init__(
        self,
        jobs: int,
        *,
        eager: bool = False,
        helps: bool = True,
        unasked: bool = False,
        otherwise: Callable[[int], SiblingStrategy] | None = None,
    ) -> None:
        self.jobs = workers_for(jobs)
        self._otherwise = otherwise
        self._eager = eager
        self._helps = helps
        self.unasked = unasked

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        if at_work.get() or len(tasks) < 2 or most_at_once(self.jobs, work) < 2:  # noqa: PLR2004 - one cannot be shared
            return map(work, tasks)
        if not work.can_leave:
            if work.held_by and self._otherwise is not None:
                return self._otherwise(self.jobs)(work, tasks)
            return map(work, tasks)
        return self._share(work, tasks)

    def _share(self, work: SiblingWork, tasks: Sequence[Any]) -> Generator[Outcome]:
        done = 0
        if not self._eager:
            most = min(most_at_once(self.jobs, work), max(2, processors()))
            helps = self._helps and work.may_stay
            done = yield from Trial(work, rehearse_forked, most, helps=helps).run(tasks)
        if done < len(tasks):
            yield from self._fork(work, tasks[done:])

    def _fork(self, work: SiblingWork, tasks: Sequence[Any]) -> Generator[Outcome]:
        chunks = _chunks_of(tasks, most_at_once(self.jobs, work))
        done = self._work_off(work, chunks, helps=self._helps and work.may_stay)
        is_again = False
        for number, chunk in chunks.items():
            if number in done.here:
                yield from done.here[number]
                continue
            result = done.results.pop(number, None)
            # What was done again here may have changed ops that a worker had as they were.
            if result is not None and (not is_again or all(map(work.is_as_known, chunk))):
                yield from taken(work, chunk, result)
            elif not done.is_interrupted:
                is_again = True
                yield from self._do_again(work, chunk, done.deaths.get(number))

    def _work_off(
        self, work: SiblingWork, chunks: Mapping[int, Sequence[Any]], *, helps: bool = False
    ) -> _Done:
        """Let workers do chunks; as long as workers die, others do what these have left."""
        done = _Done({}, {}, {})
        left, most = chunks, most_at_once(self.jobs, work)
        while left:
            workers = _ForkedWorkers(work, left, min(most, len(left)), helps=helps)
            done.results.update(workers.run())
            done.here.update(workers.here)
            done.deaths.update(workers.deaths)
            if workers.is_interrupted:
                return done._replace(is_interrupted=True)
            if not workers.deaths:
                break  # what is left cannot be sent
            found = {*done.results, *done.here, *done.deaths}
            left = {number: chunk for number, chunk in left.items() if number not in found}
        return done

    def _do_again(
        self, work: SiblingWork, chunk: Sequence[Any], death: _Death | None
    ) -> Iterator[Outcome]:
        """Do a chunk that no worker has done: here, or each task alone if a worker has died."""
        if death is None:
            yield from map(work, chunk)
            return
        for number, task in enumerate(chunk):
            if number == death.number:
                yield work.die(task, death.how)
                continue
            done = self._work_off(work, {0: [task]})
            if 0 in done.results:
                yield from taken(work, [task], done.results[0])
            elif 0 in done.deaths:
                yield work.die(task, done.deaths[0].how)
            else:
                yield work(task)


class _Death(NamedTuple):
    """The end of a worker while it worked on a chunk.

    Attributes:
        number: The number of the task in the chunk.
        how: How it ended, such as `was killed by SIGSEGV`.
    """

    number: int
    how: str


class _Done(NamedTuple):
    """Chunks that are done.

    Attributes:
        results: What workers have done, by the numbers of the chunks.
        here: The outcomes of what this process has done.
        deaths: The end of workers.
        is_interrupted: Whether something done here was interrupted, so that all workers are ended.
    """

    results: dict[int, Result]
    here: dict[int, list[Outcome]]
    deaths: dict[int, _Death]
    is_interrupted: bool = False


class _ForkedWorkers:
    """Workers for one nested step, from fork to exit.

    Args:
        work: The work.
        chunks: The tasks, by numbers.
        size: How many processes work.
        helps: Whether this process is one of them.

    Attributes:
        deaths: The end of workers, by the chunk that they worked on.
        here: The outcomes of the chunks that this process has done.
        is_interrupted: Whether it was interrupted meanwhile.
    """

    def __init__(
        self, work: SiblingWork, chunks: Mapping[int, Sequence[Any]], size: int, *, helps: bool
    ) -> None:
        self._work = work
        self._chunks = chunks
        self._size = max(1, size - helps)
        self._helps = helps
        # Of each worker: the chunk, and the task in it that it works on; written by the worker.
        self._progress = mmap(-1, 2 * _TOKEN.size * self._size)
        for number in range(self._size):
            self._set_progress(number, _IDLE, 0)
        self.deaths: dict[int, _Death] = {}
        self.here: dict[int, list[Outcome]] = {}
        self.is_interrupted = False

    def run(self) -> dict[int, Result]:
        """Do the work, and return the results by the numbers of chunks."""
        try:
            tokens = _tokens(self._chunks)
        except OSError as error:  # too many files are open
            log_warning(f"no worker processes: {error}")
            return {}
        _flush()
        freezes = not gc.get_freeze_count()
        if freezes:
            gc.freeze()  # so that no collection of a worker touches what it shares
        workers: dict[int, IO[bytes]] = {}
        files: list[IO[bytes]] = []
        try:
            with interrupts_held():
                self._start_all(workers, files, tokens)
            if self._helps:
                self._help(tokens)
            results: dict[int, Result] = {}
            if self.is_interrupted:
                return results
            for number, (pid, file) in enumerate(tuple(workers.items())):
                status = status_of(pid)
                del workers[pid]
                self._note_death(number, status)
                results.update(_read(file))
            return results
        finally:
            for pid in workers:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                status_of(pid)
            if freezes:
                gc.unfreeze()
            os.close(tokens)
            for file in files:
                file.close()

    def _help(self, tokens: int) -> None:
        """Do chunks here, as a worker does, until all are taken or one is interrupted."""
        token = at_work.set(True)
        try:
            while not self.is_interrupted and (chunk := _next(tokens)) is not None:
                outcomes = self.here[chunk] = []
                for task in self._chunks[chunk]:
                    outcomes.append(self._work(task))
                    if outcomes[-1].interrupt is not None:
                        self.is_interrupted = True
                        break
        finally:
            at_work.reset(token)

    def _start_all(
        self, workers: dict[int, IO[bytes]], files: list[IO[bytes]], tokens: int
    ) -> None:
        """Start as many workers as the system lets: these do what the others would have done."""
        import tempfile  # noqa: PLC0415 - most runs are over before

        try:
            for number in range(self._size):
                file = tempfile.TemporaryFile()  # noqa: SIM115 - read and closed by the caller
                files.append(file)
                workers[self._start(number, file, tokens)] = file
        except OSError as error:
            some = "more" if workers else "worker"
            log_warning(f"no {some} processes: {error}")

    def _start(self, number: int, file: IO[bytes], tokens: int) -> int:
        with warnings.catch_warnings():
            # The worker runs Python passes alone, in the thread that forks.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if not pid:
            self._be_worker(number, file, tokens)
        return pid

    def _be_worker(self, number: int, file: IO[bytes], tokens: int) -> NoReturn:
        """Be a worker."""
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # who has forked it ends it
            gc.disable()
            at_work.set(True)
            self._work.start_apart()
            parent = os.getppid()
            results: dict[int, Result] = {}
            while (chunk := _next(tokens)) is not None and os.getppid() == parent:
                result = self._do(number, chunk)
                if result is not None:
                    results[chunk] = result
            if self._work.is_sound():
                for chunk, result in results.items():
                    _write(file, chunk, result)
            _flush()
        except Exception as error:  # noqa: BLE001 - not of a pass: what is not sent is done again
            _write(file, _FAILED, f"{type(error).__name__}: {error}")
        finally:
            self._set_progress(number, _FINISHED, 0)
            os._exit(0)

    def _do(self, worker: int, number: int) -> Result | None:
        """Do a chunk; None if what it leads to cannot be sent."""
        work, chunk, process = self._work, self._chunks[number], os.getpid()
        done: list[tuple[Outcome, Any]] = []
        with work.observed() as observers:
            for index, task in enumerate(chunk):
                self._set_progress(worker, number, index)
                noted = work.note(task)
                outcome = work(task)
                if os.getpid() != process:
                    os._exit(0)  # a child that a pass has forked and let return
                try:
                    done.append((outcome, work.pack(task, outcome, noted)))
                except EncodingError:
                    return None
                if outcome.interrupt is not None:
                    break  # nothing that comes after it is to be done
            self._set_progress(worker, number, len(chunk))
        return Result(done, observers)

    def _set_progress(self, worker: int, chunk: int, index: int) -> None:
        _TOKEN.pack_into(self._progress, 2 * _TOKEN.size * worker, chunk)
        _TOKEN.pack_into(self._progress, (2 * worker + 1) * _TOKEN.size, index)

    def _note_death(self, worker: int, status: int | None) -> None:
        """Note the end of a worker that has not come to its own end, whatever its exit code."""
        (chunk,) = _TOKEN.unpack_from(self._progress, 2 * _TOKEN.size * worker)
        (index,) = _TOKEN.unpack_from(self._progress, (2 * worker + 1) * _TOKEN.size)
        if chunk in (_IDLE, _FINISHED):
            return
        how = "is gone, nobody can tell how"
        if status is not None:
            how = how_it_ended(os.waitstatus_to_exitcode(status), self._work)
        self.deaths[chunk] = _Death(index, how)


def _chunks_of(tasks: Sequence[Any], workers: int) -> dict[int, Sequence[Any]]:
    """Return the tasks in chunks, by their numbers, in order.

    They get shorter at the end, so that no worker has a long one when the others have none.
    """
    most = ceil(len(tasks) / (workers * _CHUNKS_PER_WORKER))
    chunks: dict[int, Sequence[Any]] = {}
    start = 0
    while start < len(tasks):
        end = start + max(1, min(most, (len(tasks) - start) // (2 * workers)))
        chunks[len(chunks)] = tasks[start:end]
        start = end
    return chunks


def _flush() -> None:
    """Write what the standard streams hold, unless they are closed or there are none."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()


def how_it_ended(code: int, work: SiblingWork) -> str:
    """Return how a process has ended, from its exit code: negative for a signal."""
    if code >= 0:
        return f"ended with exit code {code}"
    if -code == signal.SIGPROF and work.timeout is not None:  # the end of its patience
        return f"was ended: a pass took more than {work.timeout:g} s, and did not return"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:  # one of those for real time, which have no names
        return f"was killed by signal {-code}"


def _tokens(numbers: Iterable[int]) -> int:
    """Return a file to read the numbers of chunks from, each of which one reader gets.

    Forked processes share the position in it. A pipe would hold some thousands of numbers alone.
    """
    import tempfile  # noqa: PLC0415 - most runs are over before

    with tempfile.TemporaryFile() as file:
        file.write(b"".join(map(_TOKEN.pack, numbers)))
        file.seek(0)
        return os.dup(file.fileno())


def _next(tokens: int) -> int | None:
    """Return the number of the next chunk; None if all are taken."""
    token = os.read(tokens, _TOKEN.size)
    return _TOKEN.unpack(token)[0] if token else None


def _write(file: IO[bytes], chunk: int, result: Result | str) -> None:
    """Write a result, unless it cannot be written: then the chunk is done again."""
    import pickle  # noqa: PLC0415 - most runs are over before

    with suppress(Exception):
        data = pickle.dumps((chunk, result), pickle.HIGHEST_PROTOCOL)
        file.write(data)
        file.flush()


def _read(file: IO[bytes]) -> Iterator[tuple[int, Result]]:
    """Yield the results that a worker has written."""
    import pickle  # noqa: PLC0415 - as above

    file.seek(0)
    while True:
        try:
            chunk, result = pickle.load(file)  # noqa: S301 - a copy of this very process wrote it
        except (EOFError, pickle.UnpicklingError):  # the disk was full: the rest is done again
            return
        if chunk == _FAILED:
            log_warning(f"a worker process failed, and its work is done again: {result}")
        else:
            yield chunk, result
