"""A process that does shares which other workers have lost."""

from __future__ import annotations

from passel.execution.strategies.processes import Answers, WorkerProcess


class Substitute:
    """A process of this one's own, for one share after the other.

    It starts with the first share, and anew with the next one after its end.
    """

    def __init__(self) -> None:
        self._process: WorkerProcess | None = None
        self._answers = Answers()

    def do(self, share: bytes) -> bytes | int:
        """Return what `work_off` returns for a share, or the exit code of a process that died."""
        answer: bytes | None = None
        if self._process is None:
            self._answers = Answers()
            self._process = WorkerProcess(self._answers.queue)
        process = self._process
        try:
            process.send(share)
            while (found := self._answers.next([process], wait=True)) is None:
                pass
            answer = found[1]
            return process.code() if answer is None else answer
        finally:
            if answer is None:
                self.end()

    def end(self) -> None:
        """End the process if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.end()
