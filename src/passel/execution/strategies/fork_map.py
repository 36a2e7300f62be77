"""Applying a function to items in forked worker processes.

Workers are copies of this process, so the items need not be sent to them. A worker takes the next
item whenever it is idle, and sends back all its results before it exits.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import tempfile
import warnings
from contextlib import ExitStack, closing, suppress
from mmap import mmap
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.diagnostics import brief, log_warning_once
from passel.errors import EncodingError
from passel.execution.process_state import flush, interrupts_held
from passel.execution.strategies import in_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

_NUMBER = struct.Struct("I")

_FAILED = -1
"""The number that a worker sends, in place of an item's index, with an error of the worker."""

WorkerBody: TypeAlias = "Callable[[], AbstractContextManager[Callable[[Any], Any]]]"
"""A function that returns a context manager, which provides a worker with its function."""


class Death(NamedTuple):
    """The death of a worker while it was processing an item.

    Attributes:
        code: The exit code of the worker, or the negated number of the signal that killed the
            worker; None if unknown.
        done: The first argument of the last call to `set_mark` for the item; 0 if there was no
            call.
        running: The second argument of the last call to `set_mark` for the item; 0 if there was
            no call.
    """

    code: int | None
    done: int
    running: int

    def describe(self) -> str:
        """Return a phrase that says how the worker died, such as `was killed by SIGSEGV`."""
        if self.code is None:
            return "exited with an unknown status"
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        names = {each.value: each.name for each in signal.Signals}  # not those for real time
        return f"was killed by {names.get(-self.code, f'signal {-self.code}')}"


_Progress: TypeAlias = "memoryview[int]"
"""The progress of a worker, in memory that it shares with the main process.

The progress consists of three numbers: the index of the current item, counted from 1, or 0 if the
worker has ended its work; and the numbers from `set_mark`.
"""

_own: list[_Progress] = []
"""A list with the progress of this process, or an empty list if this is not a worker."""


def set_mark(done: int, running: int = 0) -> None:
    """Store how far this worker is within its item. If the worker dies, its `Death` says so.

    Args:
        done: The number of finished parts of the item.
        running: The id of the object that the worker is busy with; 0 if there is none.
    """
    _own[0][1], _own[0][2] = done, running


def fork_map(body: WorkerBody, items: Sequence[Any], processes: int) -> dict[int, Any]:
    """Map a function over items in forked worker processes.

    Args:
        body: A function that returns a context manager. Each worker calls `body` once, enters the
            context manager, and thereby gets the function to map. If the mapped function raises an
            `EncodingError`, the item has no result. If leaving the context manager raises an
            `EncodingError`, the worker returns no results. Other exceptions are logged.
        items: The items.
        processes: The maximum number of worker processes.

    Returns:
        A dictionary that maps the index of an item to the result for the item. The result is a
        `Death` if a worker died while it was processing the item. After a worker dies, new workers
        process the remaining items. Items that are not in the dictionary must be processed without
        workers.
    """
    found: dict[int, Any] = {}
    left: list[int] = list(range(len(items)))
    is_again = True
    while left and is_again:
        is_again = False  # without a death, the rest was refused
        with closing(_ended_workers(body, items, left, min(processes, len(left)))) as ended:
            for status, progress, file in ended:
                number, *marks = progress
                if number:  # stopped within an item, whatever the exit code
                    code = None if status is None else os.waitstatus_to_exitcode(status)
                    found[number - 1], is_again = Death(code, *marks), True
                found.update(_results(file))
        left = [each for each in left if each not in found]
    return found


def _ended_workers(
    body: WorkerBody, items: Sequence[Any], numbers: Iterable[int], size: int
) -> Generator[tuple[int | None, _Progress, IO[bytes]]]:
    """Process the items with the given indices in up to `size` workers.

    Yields:
        The exit status, the progress and the results of each worker, once it has exited.
    """
    running: dict[int, tuple[_Progress, IO[bytes]]] = {}
    flush()
    try:
        with ExitStack() as files:
            try:
                # Forked processes share the position in the file, so each index is read only once.
                # A pipe could hold only a few thousand indices.
                tokens = files.enter_context(tempfile.TemporaryFile("w+b", 0))
                tokens.write(b"".join(map(_NUMBER.pack, numbers)))
                tokens.seek(0)
                with interrupts_held():
                    for _ in range(size):
                        file = files.enter_context(tempfile.TemporaryFile())
                        progress = memoryview(mmap(-1, 3 * 8)).cast("Q")
                        running[_fork(body, items, tokens, progress, file)] = progress, file
            except OSError as error:
                log_warning_once(f"started only {len(running)} of {size} workers: {error}")
            for pid in [*running]:
                yield _wait(pid), *running.pop(pid)
    finally:
        if running:
            with interrupts_held():
                _end(running)


def _fork(
    body: WorkerBody, items: Sequence[Any], tokens: IO[bytes], progress: _Progress, file: IO[bytes]
) -> int:
    """Start a worker, and return the id of its process."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of threads
        if pid := os.fork():
            return pid
    # An interrupt, possibly by a pass, ends the worker. The main process runs the rest.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        gc.disable()  # a collection would copy the pages shared with the parent
        in_worker.set(True)
        _own[:] = [progress]
        parent = os.getppid()
        results: list[bytes] = []
        with suppress(EncodingError):
            with body() as function:
                while (number := _next(tokens)) is not None and os.getppid() == parent:
                    progress[0], progress[1], progress[2] = number + 1, 0, 0
                    with suppress(EncodingError):
                        results += _pickled(number, function(items[number]))
            _write(file, results)
        flush()
    except Exception as error:  # noqa: BLE001 - not of an item; unsent items run again
        _write(file, _pickled(_FAILED, brief(error)))
    finally:
        progress[0] = 0
        os._exit(0)


def _results(file: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield the indices and results of items from the file of an exited worker."""
    file.seek(0)
    with suppress(Exception):  # the end of the file, or of a full disk; what passes have raised
        while True:
            number, result = pickle.load(file)  # noqa: S301 - a copy of this process wrote it
            if number == _FAILED:
                log_warning_once(f"a worker process failed, and its work is repeated: {result}")
            else:
                yield number, result


def _end(workers: Iterable[int]) -> None:
    """Kill all workers, and wait for the end of each."""
    for pid in (left := [*workers]):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    for pid in left:
        _wait(pid)


def _wait(process: int) -> int | None:
    """Wait for a child process to exit, and return its status.

    The result is None if this process ignores SIGCHLD, or if other code has already waited for the
    child.
    """
    with suppress(ChildProcessError):
        return os.waitpid(process, 0)[1]
    return None


def _next(tokens: IO[bytes]) -> int | None:
    """Take the index of the next item from the file. Return None if no item is left."""
    token = tokens.read(_NUMBER.size)
    return _NUMBER.unpack(token)[0] if token else None


def _pickled(number: int, result: Any) -> list[bytes]:
    """Return a list with the pickled result for `_write`, or an empty list if pickling fails."""
    with suppress(Exception):  # what passes have raised may raise when it is pickled
        return [pickle.dumps((number, result), pickle.HIGHEST_PROTOCOL)]
    return []


def _write(file: IO[bytes], results: Iterable[bytes]) -> None:
    """Write results to a file. If this fails, the items are processed again."""
    with suppress(Exception):
        file.writelines(results)
        file.flush()
