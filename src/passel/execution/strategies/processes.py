"""Processes of this one's own that do shares of siblings and know nothing of the run.

They are new interpreters, not copies: they import what they need, but not the main program, which
so is not run again. They end with this process, however it ends.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import IO, TYPE_CHECKING, cast

from passel.execution.strategies.stopping import interrupts_held
from passel.passes.plugins import plugin_files

if TYPE_CHECKING:
    from queue import SimpleQueue

_COMMAND = "from passel.execution.strategies.remote import main; main()"

_SIZE = struct.Struct("Q")
"""The length of a share, or of what comes of it, before it."""

_WIDTH = 2**20
"""Bytes that a pipe to a process takes."""

_PATIENCE = 1.0
"""Seconds that an answer may take which a process has written before its end."""


class WorkerProcess:
    """A process that answers one share after the other.

    Args:
        answers: Where its answers go, in the order of the shares; None when there are no more.

    Raises:
        OSError: The system starts none.
    """

    def __init__(self, answers: SimpleQueue[tuple[WorkerProcess, bytes | None]]) -> None:
        output = _standard_output()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
                # -P: what lies in the current folder must not be taken for a module.
                [sys.executable, "-P", "-c", _COMMAND, str(output), *plugin_files()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(import_path())},
                pass_fds=(output,),
                process_group=0,  # Ctrl-C is for this process, which ends the others
            )
        finally:
            os.close(output)
        self._input = cast("IO[bytes]", self._process.stdin)
        _widen(self._input)
        self._gone_since: float | None = None
        # Read by a thread: a process that a pass has left behind may keep the pipe open for long.
        Thread(target=self._read, args=(self._process.stdout, answers), daemon=True).start()

    def send(self, share: bytes) -> None:
        """Let the process do a share, after those that it has."""
        with suppress(OSError):  # it is gone
            write_share(self._input, share)

    def has_ended(self) -> bool:
        """Return whether the process has ended."""
        with interrupts_held():  # an interrupt in `poll` may leave a lock behind that `wait` needs
            return self._process.poll() is not None

    def is_over(self) -> bool:
        """Return whether the process has ended, so long ago that no more answers come."""
        if self._gone_since is None:
            if not self.has_ended():
                return False
            self._gone_since = monotonic()
        return monotonic() - self._gone_since > _PATIENCE

    def code(self) -> int:
        """Return the exit code of the process when it has ended: negative for a signal."""
        return self._process.wait()

    def end(self) -> None:
        """End the process."""
        with interrupts_held():
            self._process.kill()
            self._process.wait()
        with suppress(OSError):
            self._input.close()

    def _read(
        self, file: IO[bytes], answers: SimpleQueue[tuple[WorkerProcess, bytes | None]]
    ) -> None:
        with file:
            while (answer := read_share(file)) is not None:
                answers.put((self, answer))
        answers.put((self, None))


def import_path() -> list[str]:
    """Return where this process looks for modules."""
    here = str(Path.cwd())
    return [path or here for path in sys.path]


def can_start() -> bool:
    """Return whether this process has an interpreter to start, rather than being a program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def write_share(file: IO[bytes], share: bytes) -> None:
    """Write a share, or what comes of it."""
    file.write(_SIZE.pack(len(share)) + share)
    file.flush()


def read_share(file: IO[bytes]) -> bytes | None:
    """Return the next one; None if there is none."""
    head = file.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack(head)
    share = file.read(size)
    return share if len(share) == size else None


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe take much that is not read yet, as nothing is while a process starts."""
    with suppress(ImportError, AttributeError, OSError):  # elsewhere than on Linux
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _WIDTH)


def _standard_output() -> int:
    """Return a copy of the standard output, or where that is closed of nothing."""
    try:
        return os.dup(1)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
