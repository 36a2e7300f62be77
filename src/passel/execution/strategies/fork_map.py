"""A function mapped over items by forked worker processes.

Workers are copies of this process, so that nothing has to be sent to them. They take the items one
by one, whichever is free, and send back what the function yields.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import tempfile
import warnings
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeAlias, TypeVar

from passel.diagnostics import log_warning
from passel.errors import EncodingError
from passel.execution.strategies.sequential import at_work
from passel.execution.strategies.watch import Progress, progress_of
from passel.execution.streams import flush, interrupts_held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

_I = TypeVar("_I")
_R = TypeVar("_R")

_NUMBER = struct.Struct("I")

_FAILED = -1
"""In place of an item's number, before the text of a worker's own failure."""

WorkerBody: TypeAlias = "Callable[[], AbstractContextManager[Callable[[_I], Iterable[_R]]]]"
"""Entered in a worker, it returns the function. Its exit may refuse all that the worker did."""


class Death(NamedTuple):
    """The end of a worker while it worked on an item.

    Attributes:
        step: How many results the function had yielded for the item.
        code: The exit code, negative for a signal; None if the system does not tell.
        in_pass: The identity of the step whose pass had begun last; 0 if none had.
    """

    step: int
    code: int | None
    in_pass: int

    def describe(self) -> str:
        """Return how the process has ended."""
        code = self.code
        if code is None:
            return "exited with an unknown status"
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:  # one of those for real time, which have no names
            return f"was killed by signal {-code}"


class Forks(NamedTuple, Generic[_R]):
    """Results of forked workers. An item in neither is still to be done.

    Attributes:
        results: What the function yielded, by the numbers of the items.
        deaths: The ends of workers, by the numbers of the items that they worked on.
    """

    results: dict[int, list[_R]]
    deaths: dict[int, Death]


def fork_map(
    body: WorkerBody[_I, _R],
    items: Sequence[_I],
    processes: int,
) -> Forks[_R]:
    """Map a function over items in forked workers, until all items are done, refused or fatal.

    Args:
        body: Called and entered in each worker. An `EncodingError` of the function refuses one
            item, of the exit all that the worker did. Any other error is logged.
        items: The items.
        processes: How many processes work.

    Returns:
        What workers have sent.
    """
    found: Forks[_R] = Forks({}, {})
    left: dict[int, _I] = dict(enumerate(items))
    while left:
        workers = _Workers(body, left, min(processes, len(left)))
        workers.run()
        found.results.update(workers.results)
        found.deaths.update(workers.deaths)
        if not workers.deaths:
            break  # what is left was refused
        known = {*found.results, *found.deaths}
        left = {number: item for number, item in left.items() if number not in known}
    return found


class _Workers(Generic[_I, _R]):
    """Workers from fork to exit.

    Args:
        body: As for `fork_map`.
        items: The items, by their numbers.
        size: How many workers there are.

    Attributes:
        results: As in `Forks`.
        deaths: As in `Forks`.
    """

    def __init__(self, body: WorkerBody[_I, _R], items: Mapping[int, _I], size: int) -> None:
        self._body = body
        self._items = items
        self._progress = progress_of(size)
        self.results: dict[int, list[_R]] = {}
        self.deaths: dict[int, Death] = {}

    def run(self) -> None:
        """Let workers take the items, until none is left."""
        try:
            self._tokens = _tokens(self._items)
        except OSError as error:  # too many files are open
            log_warning(f"no worker processes: {error}")
            return
        flush()
        freezes = not gc.get_freeze_count()
        if freezes:
            gc.freeze()  # so that no collection of a worker touches what it shares
        workers: dict[int, IO[bytes]] = {}
        files: list[IO[bytes]] = []
        try:
            with interrupts_held():
                self._start_all(workers, files)
            for progress, (pid, file) in zip(self._progress, tuple(workers.items()), strict=False):
                status = _status_of(pid)
                del workers[pid]
                self._note_death(progress, status)
                self._read(file)
        finally:
            for pid in workers:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                _status_of(pid)
            if freezes:
                gc.unfreeze()
            os.close(self._tokens)
            for file in files:
                file.close()

    def _start_all(self, workers: dict[int, IO[bytes]], files: list[IO[bytes]]) -> None:
        """Start as many workers as the system lets: these do what the others would have done."""
        try:
            for progress in self._progress:
                file = tempfile.TemporaryFile()  # noqa: SIM115 - read and closed by the caller
                files.append(file)
                with warnings.catch_warnings():
                    # The worker runs Python alone, in the thread that forks.
                    warnings.simplefilter("ignore", DeprecationWarning)
                    pid = os.fork()
                if not pid:
                    self._be_worker(progress, file)
                workers[pid] = file
        except OSError as error:
            some = "more" if workers else "worker"
            log_warning(f"no {some} processes: {error}")

    def _be_worker(self, progress: Progress, file: IO[bytes]) -> NoReturn:
        try:
            # The parent ends it; a handler, as programs that passes start would inherit no other.
            signal.signal(signal.SIGINT, _take_no_note)
            gc.disable()
            at_work.set(True)
            progress.is_own()
            parent = os.getppid()
            results: list[bytes] = []
            with suppress(EncodingError):
                with self._body() as function:
                    while (number := _next(self._tokens)) is not None and os.getppid() == parent:
                        self._do(progress, number, function, results)
                _write(file, results)
            flush()
        except Exception as error:  # noqa: BLE001 - not of an item: what is not sent is done again
            _write(file, [_pickled(_FAILED, f"{type(error).__name__}: {error}")])
        finally:
            progress.set(None)
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
            with suppress(BaseException):  # what passes have raised may raise when it is pickled
                results.append(_pickled(number, result))

    def _note_death(self, progress: Progress, status: int | None) -> None:
        """Note the end of a worker that has not come to its own end, whatever its exit code."""
        number, step, in_pass = progress.get()
        if number is not None:
            code = None if status is None else os.waitstatus_to_exitcode(status)
            self.deaths[number] = Death(step, code, in_pass)

    def _read(self, file: IO[bytes]) -> None:
        """Take the results that a worker has written."""
        file.seek(0)
        while True:
            try:
                number, data = pickle.load(file)  # noqa: S301 - a copy of this process wrote it
            except (EOFError, pickle.UnpicklingError):  # the disk was full: the rest is done again
                return
            try:
                result = pickle.loads(data)  # noqa: S301 - as above
            except Exception:  # noqa: BLE001, S112 - what passes have raised; it is done again
                continue
            if number == _FAILED:
                log_warning(f"a worker process failed, and its work is done again: {result}")
            else:
                self.results[number] = result


def _status_of(process: int) -> int | None:
    """Wait for the end of a child.

    Returns:
        Its status; None if this process ignores SIGCHLD, or other code has waited for it.
    """
    with suppress(ChildProcessError):
        return os.waitpid(process, 0)[1]
    return None


def _take_no_note(number: int, frame: object) -> None:
    """Handle a signal by doing nothing."""


def _tokens(numbers: Iterable[int]) -> int:
    """Return a file to read the numbers of items from, each of which one reader gets.

    Forked processes share the position in it. A pipe would hold some thousands of numbers alone.
    """
    with tempfile.TemporaryFile() as file:
        file.write(b"".join(map(_NUMBER.pack, numbers)))
        file.seek(0)
        return os.dup(file.fileno())


def _next(tokens: int) -> int | None:
    """Take an item, and return its number; None if all are taken."""
    token = os.read(tokens, _NUMBER.size)
    return _NUMBER.unpack(token)[0] if token else None


def _pickled(number: int, result: Any) -> bytes:
    """Return a result that can be skipped without being read."""
    data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    return pickle.dumps((number, data), pickle.HIGHEST_PROTOCOL)


def _write(file: IO[bytes], results: Iterable[bytes]) -> None:
    """Write results, unless they cannot be written: then the items are done again."""
    with suppress(Exception):
        file.writelines(results)
        file.flush()
