"""A function mapped over items by forked worker processes.

Workers are copies of this process, so that nothing has to be sent to them. Each free worker takes
the next item, and sends back the results of the function.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import tempfile
import time
import warnings
from contextlib import ExitStack, suppress
from mmap import mmap
from typing import IO, TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeAlias, TypeVar

from passel.diagnostics import brief, log_warning
from passel.errors import EncodingError
from passel.execution.strategies import at_work
from passel.execution.streams import flush, interrupts_held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

_I = TypeVar("_I")
_R = TypeVar("_R")

_NUMBER = struct.Struct("I")
_PROGRESS = struct.Struct("IIQ")
_NO_ITEM = 2**32 - 1

_FAILED = -1
"""In place of an item's number, before the text of a worker's own failure."""

_PATIENCE = 0.5
"""The seconds that workers have to end what their passes have started."""

WorkerBody: TypeAlias = "Callable[[], AbstractContextManager[Callable[[_I], Iterable[_R]]]]"
"""Entered in a worker, it returns the function. Its exit may refuse all that the worker did."""


class Death(NamedTuple):
    """Death of a worker while it processed an item.

    Attributes:
        code: The exit code, negative for a signal; None if unknown.
        step: The number of results that the function had yielded for the item.
        mark: The last mark that the worker had set; 0 if none.
    """

    code: int | None
    step: int
    mark: int

    def describe(self) -> str:
        """Return how the process ended, as the predicate of a sentence."""
        if self.code is None:
            return "exited with an unknown status"
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        names = {each.value: each.name for each in signal.Signals}  # not those for real time
        return f"was killed by {names.get(-self.code, f'signal {-self.code}')}"


class Progress(NamedTuple):
    """The progress of one worker, in memory that all processes share.

    Attributes:
        memory: The memory of all workers.
        start: The offset of this worker's part.
    """

    memory: mmap
    start: int

    def set(self, item: int, step: int = 0, mark: int = 0) -> None:
        """Store the current item, the number of its results so far, and a mark."""
        _PROGRESS.pack_into(self.memory, self.start, item, step, mark)

    def get(self) -> tuple[int, int, int]:
        """Return the current item, the number of its results, and the mark."""
        return _PROGRESS.unpack_from(self.memory, self.start)


own: list[Progress] = []
"""The progress of this process; empty if it is not a worker."""


def set_mark(mark: int) -> None:
    """Store a mark in a worker, which is part of the report if the worker dies."""
    own[0].set(*own[0].get()[:2], mark)


class Forks(NamedTuple, Generic[_R]):
    """Results of forked workers. Items in neither dict have to be processed again.

    Attributes:
        results: The results of the function, by the numbers of the items.
        deaths: The deaths of workers, by the numbers of the items that they processed.
    """

    results: dict[int, list[_R]]
    deaths: dict[int, Death]


def fork_map(body: WorkerBody[_I, _R], items: Sequence[_I], processes: int) -> Forks[_R]:
    """Map a function over items in forked workers, until all items are done, refused or fatal.

    Args:
        body: Called and entered in each worker. An `EncodingError` from the function refuses one
            item; from the exit, it refuses all work of the worker. Other errors are logged.
        items: The items.
        processes: The number of worker processes.

    Returns:
        The results and deaths.
    """
    found: Forks[_R] = Forks({}, {})
    left: dict[int, _I] = dict(enumerate(items))
    deaths = -1
    while left and len(found.deaths) > deaths:  # without another death, what is left was refused
        deaths = len(found.deaths)
        _Workers(body, left, found).run(min(processes, len(left)))
        known = {*found.results, *found.deaths}
        left = {number: item for number, item in left.items() if number not in known}
    return found


class _Workers(Generic[_I, _R]):
    """Workers from fork to exit.

    Args:
        body: As for `fork_map`.
        items: The items by number.
        found: The results and deaths, to add to.
    """

    def __init__(self, body: WorkerBody[_I, _R], items: Mapping[int, _I], found: Forks[_R]) -> None:
        self._body = body
        self._items = items
        self._found = found
        self._running: dict[int, tuple[Progress, IO[bytes]]] = {}

    def run(self, size: int) -> None:
        """Process all items with `size` workers."""
        memory = mmap(-1, _PROGRESS.size * size)
        flush()
        freezes = not gc.get_freeze_count()
        if freezes:
            gc.freeze()  # so that no collection of a worker touches what it shares
        try:
            with ExitStack() as files:
                self._start_all(memory, size, files)
                for pid in [*self._running]:
                    self._note_end(_wait(pid), *self._running.pop(pid))
        finally:
            if self._running:
                with interrupts_held():
                    self._end()
            if freezes:
                gc.unfreeze()

    def _start_all(self, memory: mmap, size: int, files: ExitStack) -> None:
        """Start the workers, or as many of them as the system allows."""
        try:
            tokens = files.enter_context(_tokens(self._items))
            with interrupts_held():
                for number in range(size):
                    file = files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it does
                    progress = Progress(memory, _PROGRESS.size * number)
                    self._start(progress, tokens, file)
        except OSError as error:
            log_warning(f"no {'more' if self._running else 'worker'} processes: {error}")

    def _start(self, progress: Progress, tokens: IO[bytes], file: IO[bytes]) -> None:
        progress.set(_NO_ITEM)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of threads
            if not (pid := os.fork()):
                self._be_worker(progress, tokens, file)
        self._running[pid] = progress, file

    def _note_end(self, status: int | None, progress: Progress, file: IO[bytes]) -> None:
        """Take the results of a worker that has ended."""
        number, *how = progress.get()
        if number != _NO_ITEM:  # it has not come to its own end, whatever its exit code
            code = None if status is None else os.waitstatus_to_exitcode(status)
            self._found.deaths[number] = Death(code, *how)
        self._read(file)

    def _end(self) -> None:
        """Interrupt the workers, and kill those that do not end within `_PATIENCE`."""
        _send(signal.SIGINT, self._running)
        until, left = time.monotonic() + _PATIENCE, {*self._running}
        while left and time.monotonic() < until:
            left = {pid for pid in left if _wait(pid, os.WNOHANG) == _RUNS}
            time.sleep(_PATIENCE / 100)
        _send(signal.SIGKILL, left)
        for pid in left:
            _wait(pid)

    def _be_worker(self, progress: Progress, tokens: IO[bytes], file: IO[bytes]) -> NoReturn:
        # An interrupt, which may be a pass's own, ends it: what is left is done in the parent.
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            gc.disable()
            at_work.set(True)
            own[:] = [progress]
            parent = os.getppid()
            results: list[bytes] = []
            with suppress(EncodingError):
                with self._body() as function:
                    while (number := _next(tokens)) is not None and os.getppid() == parent:
                        self._do(progress, number, function, results)
                _write(file, results)
            flush()
        except Exception as error:  # noqa: BLE001 - not of an item: what is not sent is done again
            _write(file, [_pickled(_FAILED, brief(error))])
        finally:
            progress.set(_NO_ITEM)
            os._exit(0)

    def _do(
        self,
        progress: Progress,
        number: int,
        function: Callable[[_I], Iterable[_R]],
        results: list[bytes],
    ) -> None:
        result = list[_R]()
        progress.set(number)
        with suppress(EncodingError):
            for value in function(self._items[number]):
                result.append(value)
                progress.set(number, len(result))
            with suppress(Exception):  # what passes have raised may raise when it is pickled
                results.append(_pickled(number, result))

    def _read(self, file: IO[bytes]) -> None:
        """Read as many results of a worker as possible."""
        file.seek(0)
        with suppress(EOFError, pickle.UnpicklingError):  # it ends early if the disk was full
            while True:
                number, data = pickle.load(file)  # noqa: S301 - a copy of this process wrote it
                with suppress(Exception):  # of what passes have raised
                    result = pickle.loads(data)  # noqa: S301 - as above
                    if number == _FAILED:
                        log_warning(f"a worker process failed; redoing its work: {result}")
                    else:
                        self._found.results[number] = result


_RUNS = -1


def _wait(process: int, options: int = 0) -> int | None:
    """Wait for the end of a child.

    Returns:
        Its status; None if this process ignores SIGCHLD, or other code has waited for it.
    """
    with suppress(ChildProcessError):
        found, status = os.waitpid(process, options)
        return status if found else _RUNS
    return None


def _send(number: int, processes: Iterable[int]) -> None:
    for process in processes:
        with suppress(OSError):
            os.kill(process, number)


def _tokens(numbers: Iterable[int]) -> IO[bytes]:
    """Return a file with the numbers of items; each number is read by one process.

    Forked processes share the file position. A pipe could hold only some thousands of numbers.
    """
    file = tempfile.TemporaryFile("w+b", 0)  # noqa: SIM115 - closed in `run`
    file.write(b"".join(map(_NUMBER.pack, numbers)))
    file.seek(0)
    return file


def _next(tokens: IO[bytes]) -> int | None:
    """Take the next item, and return its number; None at the end."""
    token = tokens.read(_NUMBER.size)
    return _NUMBER.unpack(token)[0] if token else None


def _pickled(number: int, result: Any) -> bytes:
    """Return a pickled result, itself pickled so that readers can skip it."""
    data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    return pickle.dumps((number, data), pickle.HIGHEST_PROTOCOL)


def _write(file: IO[bytes], results: Iterable[bytes]) -> None:
    """Write results. After an error the items are processed again."""
    with suppress(Exception):
        file.writelines(results)
        file.flush()
