"""An executor of worker processes that are started, not forked.

They are new interpreters: they import what they need, but not the main program, which so is not
run again. They end with this process, however it ends.
"""

from __future__ import annotations

import atexit
import os
import pickle
import select
import struct
import subprocess
import sys
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from passel.diagnostics import log_warning
from passel.execution.strategies.stopping import interrupts_held
from passel.passes.plugins import plugin_files

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

_COMMAND = "from passel.execution.strategies.remote import main; main()"

_SIZE = struct.Struct("Q")
"""The length of a message, before it."""

_PERIOD = 0.1
"""Seconds between looks whether a process that does not answer is still there."""


class WorkerEndedError(ChildProcessError):
    """A worker has ended before it answered.

    Args:
        code: Its exit code: negative for a signal.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"it ended with exit code {code}")
        self.code: int = code


class StartedWorkers(Executor):
    """Worker processes, which start when they are first needed.

    A worker that ends takes nothing but its call with it; another one takes its place.

    Args:
        size: How many processes there are at most.

    Attributes:
        size: The same.
        surroundings: What processes take over when they start, and which may change later.
    """

    def __init__(self, size: int) -> None:
        self.size: int = size
        self.surroundings: tuple[Any, ...] = _surroundings()
        self._calls: SimpleQueue[tuple[Future[Any], bytes] | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._processes: set[_Process] = set()
        self._lock = Lock()
        self._is_over = False

    def serves(self, size: int) -> bool:
        """Return whether there are so many, and they are as they would start now."""
        return not self._is_over and self.size == size and self.surroundings == _surroundings()

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Let a worker call an importable function that never raises.

        Raises:
            RuntimeError: The workers were shut down.
        """
        if self._is_over:
            raise RuntimeError("the workers were shut down")
        future: Future[_T] = Future()
        self._calls.put((future, pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)))
        if len(self._threads) < self.size:
            thread = Thread(target=self._serve, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all workers, whatever they do; nothing happens in a copy of this process."""
        if os.getpid() != self.surroundings[0]:
            return
        with interrupts_held(), self._lock:
            self._is_over = True
            for process in self._processes:
                process.end()
            for _ in self._threads:
                self._calls.put(None)

    def _serve(self) -> None:
        """Hand calls to a process, one after the other."""
        process: _Process | None = None
        while (call := self._calls.get()) is not None:
            future, message = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                process = process or self._start()
                answer = process.ask(message)
            except OSError as error:  # the system starts no process
                if not self._is_over:
                    self._is_over = True
                    log_warning(f"no worker processes: {error}")
                future.set_exception(error)
                continue
            if answer is not None:
                future.set_result(pickle.loads(answer))  # noqa: S301 - a worker's
                continue
            with self._lock:
                self._processes.discard(process)
            future.set_exception(WorkerEndedError(process.end()))
            process.close()
            process = None
        if process is not None:
            process.end()
            process.close()

    def _start(self) -> _Process:
        with self._lock:
            if self._is_over:
                raise ChildProcessError("the workers were shut down")
            process = _Process()
            self._processes.add(process)
            return process


_kept: list[StartedWorkers] = []
"""The last ones are of this process. Others are of processes that this is a copy of."""

_keeping = Lock()


def kept_workers(size: int) -> StartedWorkers:
    """Return the workers of this process that stay for as long as it and its surroundings do."""
    with _keeping:
        if not have_started(size):
            end_kept_workers()
            _kept.append(StartedWorkers(size))
        return _kept[-1]


def have_started(size: int) -> bool:
    """Return whether so many workers have started already, as this process now is."""
    return bool(_kept) and _kept[-1].serves(size)


@atexit.register
def end_kept_workers() -> None:
    """End the workers that `kept_workers` has returned."""
    while _kept:
        _kept.pop().shutdown()


def can_start() -> bool:
    """Return whether this process has an interpreter to start, rather than being a program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


class _Process:
    """A process that answers one message after the other.

    Raises:
        OSError: The system starts none.
    """

    def __init__(self) -> None:
        output = _standard_output()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
                # -P: what lies in the current folder must not be taken for a module.
                [sys.executable, "-P", "-c", _COMMAND, str(output), *plugin_files()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(_import_path())},
                pass_fds=(output,),
                process_group=0,  # Ctrl-C is for this process, which ends the others
            )
        finally:
            os.close(output)
        self._input = cast("IO[bytes]", self._process.stdin)
        self._output = cast("IO[bytes]", self._process.stdout)

    def ask(self, message: bytes) -> bytes | None:
        """Send a message, and return the answer; None if the process has ended before."""
        try:
            write_message(self._input, message)
        except (OSError, ValueError):  # it is gone
            return None
        head = self._read(_SIZE.size)
        return None if head is None else self._read(_SIZE.unpack(head)[0])

    def end(self) -> int:
        """End the process, and return its exit code: negative for a signal."""
        self._process.kill()
        return self._process.wait()

    def close(self) -> None:
        """Close the pipes; called by the thread that uses them."""
        with suppress(OSError):
            self._input.close()
        self._output.close()

    def _read(self, size: int) -> bytes | None:
        """Return so many bytes; None if they will not come any more.

        A process that a pass has forked may keep the pipe open for longer than the worker lives.
        """
        parts: list[bytes] = []
        while size:
            has_ended = self._process.poll() is not None
            if not select.select([self._output], [], [], _PERIOD)[0]:
                if has_ended:
                    return None
                continue
            part = os.read(self._output.fileno(), size)
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def write_message(file: IO[bytes], message: bytes) -> None:
    """Write a message with its length."""
    file.write(_SIZE.pack(len(message)) + message)
    file.flush()


def read_message(file: IO[bytes]) -> bytes | None:
    """Return the next message; None if there is none."""
    head = file.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack(head)
    message = file.read(size)
    return message if len(message) == size else None


def _surroundings() -> tuple[Any, ...]:
    """Return all that a process takes over when it starts, and which may change later."""
    environment = frozenset(os.environ.items())
    return os.getpid(), Path.cwd(), tuple(_import_path()), environment, *plugin_files()


def _import_path() -> list[str]:
    """Return where this process looks for modules."""
    here = str(Path.cwd())
    return [path or here for path in sys.path]


def _standard_output() -> int:
    """Return a copy of the standard output, or where that is closed of nothing."""
    try:
        return os.dup(1)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
