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
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from passel.diagnostics import brief, log_warning
from passel.errors import EncodingError
from passel.execution.process_state import flush, interrupts_held
from passel.execution.strategies import at_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

_NUMBER = struct.Struct("I")
_PROGRESS = struct.Struct("IIQ")
_NO_ITEM = 2**32 - 1

_FAILED = -1
"""In place of an item's number, before the text of a worker's own failure."""

_PATIENCE = 0.5
"""The seconds that workers have to end what their passes have started."""

WorkerBody: TypeAlias = "Callable[[], AbstractContextManager[Callable[[Any], Any]]]"
"""Entered in a worker, it returns the function. Its exit may refuse all that the worker did."""


class Death(NamedTuple):
    """Death of a worker while it processed an item.

    Attributes:
        code: The exit code, negative for a signal; None if unknown.
        step: The step that the function has stored with `set_mark`; 0 if there is none.
        mark: The second number that the function has stored with `set_mark`.
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


class _Progress(NamedTuple):
    """The progress of one worker, in memory that all processes share.

    Attributes:
        memory: The memory of all workers.
        start: The offset of this worker's part.
    """

    memory: mmap
    start: int

    def set(self, item: int, step: int = 0, mark: int = 0) -> None:
        """Store the current item, with the numbers given to `set_mark`."""
        _PROGRESS.pack_into(self.memory, self.start, item, step, mark)

    def get(self) -> tuple[int, int, int]:
        """Return the current item, with the numbers given to `set_mark`."""
        return _PROGRESS.unpack_from(self.memory, self.start)


_own: list[_Progress] = []
"""The progress of this process; empty if it is not a worker."""


def set_mark(step: int, mark: int = 0) -> None:
    """Store two numbers in a worker, which are part of the report if the worker dies."""
    item, *_ = _own[0].get()
    _own[0].set(item, step, mark)


class Forks(NamedTuple):
    """Results of forked workers. Items in neither dict have to be processed again.

    Attributes:
        results: The results of the function, by the numbers of the items.
        deaths: The deaths of workers, by the numbers of the items that they processed.
    """

    results: dict[int, Any]
    deaths: dict[int, Death]


def fork_map(body: WorkerBody, items: Sequence[Any], processes: int) -> Forks:
    """Map a function over items in forked workers, until all items are done, refused or fatal.

    Args:
        body: A function that each worker calls, and whose result is a context manager of a function
            on items. If the latter raises an `EncodingError`, the item is refused; if the exit of
            the context manager raises it, all work of the worker is refused. Other errors are
            logged.
        items: The items.
        processes: The number of worker processes.
    """
    found = Forks({}, {})
    left, deaths = list(range(len(items))), -1
    while left and len(found.deaths) > deaths:  # without another death, what is left was refused
        deaths = len(found.deaths)
        _Workers(body, items, found).run(left, min(processes, len(left)))
        left = [each for each in left if each not in found.results and each not in found.deaths]
    return found


class _Workers:
    """Workers from fork to exit.

    Args:
        body: As for `fork_map`.
        items: The items.
        found: The results and deaths, to add to.
    """

    def __init__(self, body: WorkerBody, items: Sequence[Any], found: Forks) -> None:
        self._body = body
        self._items = items
        self._found = found
        self._running: dict[int, tuple[_Progress, IO[bytes]]] = {}

    def run(self, numbers: Iterable[int], size: int) -> None:
        """Process the items with these numbers in `size` workers, or as many as can be started."""
        memory = mmap(-1, _PROGRESS.size * size)
        flush()
        try:
            with ExitStack() as files:
                try:
                    tokens = files.enter_context(_tokens(numbers))
                    with interrupts_held():
                        for number in range(size):
                            file = files.enter_context(tempfile.TemporaryFile())
                            progress = _Progress(memory, _PROGRESS.size * number)
                            self._start(progress, tokens, file)
                except OSError as error:
                    log_warning(f"no {'more' if self._running else 'worker'} processes: {error}")
                for pid in [*self._running]:
                    self._note_end(_wait(pid), *self._running.pop(pid))
        finally:
            if self._running:
                with interrupts_held():
                    self._end()

    def _start(self, progress: _Progress, tokens: IO[bytes], file: IO[bytes]) -> None:
        progress.set(_NO_ITEM)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of threads
            if not (pid := os.fork()):
                self._be_worker(progress, tokens, file)
        self._running[pid] = progress, file

    def _note_end(self, status: int | None, progress: _Progress, file: IO[bytes]) -> None:
        """Take the results of a worker that has ended."""
        number, *marks = progress.get()
        if number != _NO_ITEM:  # it has not come to its own end, whatever its exit code
            code = None if status is None else os.waitstatus_to_exitcode(status)
            self._found.deaths[number] = Death(code, *marks)
        file.seek(0)
        with suppress(Exception):  # the end of the file, or of a full disk; what passes have raised
            while True:
                number, result = pickle.load(file)  # noqa: S301 - a copy of this process wrote it
                if number == _FAILED:
                    log_warning(f"a worker process failed; redoing its work: {result}")
                else:
                    self._found.results[number] = result

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

    def _be_worker(self, progress: _Progress, tokens: IO[bytes], file: IO[bytes]) -> NoReturn:
        # An interrupt, which may be a pass's own, ends it: what is left is done in the parent.
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            gc.disable()  # so that no collection touches what it shares
            at_work.set(True)
            _own[:] = [progress]
            parent = os.getppid()
            results: list[bytes] = []
            with suppress(EncodingError):
                with self._body() as function:
                    while (number := _next(tokens)) is not None and os.getppid() == parent:
                        progress.set(number)
                        with suppress(EncodingError):
                            results += _pickled(number, function(self._items[number]))
                _write(file, results)
            flush()
        except Exception as error:  # noqa: BLE001 - not of an item: what is not sent is done again
            _write(file, _pickled(_FAILED, brief(error)))
        finally:
            progress.set(_NO_ITEM)
            os._exit(0)


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


def _pickled(number: int, result: Any) -> list[bytes]:
    """Return a result for `_write`; nothing if it cannot be sent."""
    with suppress(Exception):  # what passes have raised may raise when it is pickled
        return [pickle.dumps((number, result), pickle.HIGHEST_PROTOCOL)]
    return []


def _write(file: IO[bytes], results: Iterable[bytes]) -> None:
    """Write results. After an error the items are processed again."""
    with suppress(Exception):
        file.writelines(results)
        file.flush()
