"""A process that does shares which the workers of an executor have lost."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

_COMMAND = "from passel.execution.strategies.remote import main; main()"

_SIZE = struct.Struct("Q")
"""The length of a share, or of what comes of it, before it."""

_PERIOD = 0.05
"""Seconds between looks at whether the process is still there."""

_PATIENCE = 1.0
"""Seconds that an answer may take which a process has written before its end."""


class Substitute:
    """A process of this one's own, for one share after the other.

    It starts with the first share, and anew with the next one after its end.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()

    def do(self, share: bytes) -> bytes | int:
        """Return what `work_off` returns for a share, or the exit code of a process that died."""
        answer: bytes | None = None
        process = self._process or self._start()
        try:
            with suppress(OSError):  # it is gone
                assert process.stdin is not None  # noqa: S101 - it is a pipe
                write_share(process.stdin, share)
            answer = self._answer(process)
            if answer is not None:
                return answer
            return process.wait()
        finally:
            if answer is None:
                self.end()

    def end(self) -> None:
        """End the process if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            with suppress(OSError):
                assert process.stdin is not None  # noqa: S101 - it is a pipe
                process.stdin.close()

    def _start(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, sys.path))
        self._process = process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._answers = SimpleQueue()
        # Read by a thread: a process that a pass has left behind may keep the pipe open for long.
        Thread(target=_read_all, args=(process.stdout, self._answers), daemon=True).start()
        return process

    def _answer(self, process: subprocess.Popen[bytes]) -> bytes | None:
        """Return what a process answers; None if it ends before it has."""
        while True:
            has_ended = process.poll() is not None
            try:
                return self._answers.get(timeout=_PATIENCE if has_ended else _PERIOD)
            except Empty:
                if has_ended:
                    return None


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


def _read_all(file: Any, answers: SimpleQueue[bytes | None]) -> None:
    with file:
        while (answer := read_share(file)) is not None:
            answers.put(answer)
    answers.put(None)
