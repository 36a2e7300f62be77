"""Write records as files with a line of JSON for each event."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from functools import partialmethod
from io import FileIO
from json import JSONEncoder
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel._version import __version__
from passel.record.model import FORMAT
from passel.record.texts import texts_data

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from passel.diagnostics import Location
    from passel.record.model import FailureInfo, StepInfo

_encode = JSONEncoder(separators=(",", ":")).encode
_TOGETHER = 64
"""The most texts that are compressed together: a reader of one has to inflate all."""


class RecordedOp(NamedTuple):
    """The data that identifies an op in a record; see `Execution`."""

    name: str
    symbol: str | None
    ordinals: tuple[int, ...]
    location: Location


class RecordFile:
    """A record that is being written to a file.

    Each event is passed to the operating system immediately, so that no event is lost if the
    process is killed. A write error is reported once, and the run continues. The file is only open
    during runs.

    Args:
        path: The path of the file, which the first run overwrites.
        command_line: The command and its arguments; by default, those of the process.
    """

    def __init__(self, path: str | Path, command_line: Sequence[str] | None = None) -> None:
        self.path: Path = Path(path)
        self._file: FileIO | None = None
        self._process = os.getpid()
        self._known: dict[Hashable, int] = {}
        self._texts: set[str] = set()
        self._waiting: dict[str, str] = {}
        self._runs: list[bool] = []
        self._has_begun = self._broken = False
        self._command = sys.orig_argv if command_line is None else command_line
        self._program = f"{command_line[0]}: " if command_line else ""

    def start_run(self, facts: Mapping[str, Any]) -> int:
        """Write the start of a run, and return the number of the run."""
        number = len(self._runs)
        self._runs.append(True)
        self._line({"run": number, **facts})
        return number

    def end_run(self, run: int, failures: Sequence[FailureInfo], notes: Sequence[str]) -> None:
        """Write the end of a run, with the failures and the notes about them."""
        self._line({"end": run, "failures": failures, "notes": notes})
        self._runs[run] = False
        if self._file is not None and not any(self._runs):
            self._file.close()
            self._file = None

    def begin(self, run: int, step: StepInfo, op: RecordedOp, is_amid: bool = False) -> None:
        """Write the start of an execution.

        Args:
            run: The number of the run.
            step: The pass.
            op: The op that the pass runs on.
            is_amid: Whether a pass on an enclosing op runs the pass.
        """
        known = self._known
        number = known[step] if step in known else self._introduce("step", step)
        target = known[op] if op in known else self._introduce("op", op)
        self._write(f'{{"begin":{number},"of":{target},"in":{run},"amid":{int(is_amid)}}}')

    def end(self, run: int, op: RecordedOp, facts: Mapping[str, Any]) -> None:
        """Write the end of the innermost running execution."""
        self._line(facts)

    def change(self, run: int, ordinals: Sequence[int], digest: str | None) -> None:
        """Write the new text of an op that changed while no pass was running on the op itself.

        Args:
            run: The number of the run.
            ordinals: The ordinals of the op.
            digest: The digest of the new text; None if the text is unknown.
        """
        self._line({"state": ordinals, "in": run, "after": digest})

    def text(self, digest: str, content: str) -> None:
        """Write a text or an outline, unless the file already contains it."""
        if digest not in self._texts:
            self._texts.add(digest)
            self._waiting[digest] = content
            if len(self._waiting) == _TOGETHER:
                self._write()

    def _introduce(self, what: str, data: Hashable) -> int:
        """Write a step or an op that later lines refer to by number, and return its number."""
        number = self._known[what] = self._known.get(what, -1) + 1
        self._known[data] = number
        self._line({what: data})
        return number

    def _line(self, data: Mapping[str, Any]) -> None:
        self._write(_encode(data))

    def _write(self, *lines: str) -> None:
        """Write the waiting texts, then lines that may refer to them."""
        waiting, self._waiting = self._waiting, {}
        if self._broken or os.getpid() != self._process:
            return
        if waiting:
            lines = (texts_data(waiting), *lines)
        try:
            if self._file is None:
                self._file = self._open()
            data = memoryview("".join(f"{line}\n" for line in lines).encode())
            while data:
                data = data[self._file.write(data) :]
        except (OSError, ValueError) as error:
            self._broken = True
            reason = getattr(error, "strerror", None) or error
            sys.stderr.write(
                f"{self._program}error: cannot write the record '{self.path}': {reason}\n"
            )

    def _open(self) -> FileIO:
        file = FileIO(self.path, "a" if self._has_begun else "w")
        if not self._has_begun:
            self._has_begun = True
            head = {
                "record": FORMAT,
                "passel": __version__,
                "python": python_version(),
                "command": [*self._command],
                "started": datetime.now().astimezone().isoformat(timespec="seconds"),
            }
            file.write(f"{_encode(head)}\n".encode())
        return file


class PartLog:
    """A log of events in a worker, which the parent process replays.

    Run 0 of the log is the run of the parent process.
    """

    def __init__(self) -> None:
        self._calls: list[tuple[str, tuple[Any, ...]]] = []
        self._texts: dict[str, str] = {}
        self._runs = 0

    def start_run(self, facts: Mapping[str, Any]) -> int:
        """Store the start of a nested run on another IR, and return the number of the run."""
        self._runs += 1
        self._keep("start_run", facts)
        return self._runs

    def _keep(self, what: str, *arguments: Any) -> None:
        self._calls.append((what, arguments))

    begin: partialmethod[None] = partialmethod(_keep, "begin")
    end: partialmethod[None] = partialmethod(_keep, "end")
    change: partialmethod[None] = partialmethod(_keep, "change")
    end_run: partialmethod[None] = partialmethod(_keep, "end_run")

    def text(self, digest: str, content: str) -> None:
        """Store a text or an outline by digest."""
        self._texts[digest] = content

    def replay(self, log: Log, run: int) -> Iterator[tuple[RecordedOp, Mapping[str, Any]]]:
        """Replay all events into another log, and yield the executions of the parent's run.

        Args:
            log: The log to add the events to.
            run: The number of the parent's run in that log.
        """
        runs = [run]
        for digest, content in self._texts.items():
            log.text(digest, content)
        for name, arguments in self._calls:
            if name == "start_run":
                (facts,) = arguments
                runs.append(log.start_run({**facts, "outer": runs[facts["outer"]]}))
                continue
            number, *rest = arguments
            getattr(log, name)(runs[number], *rest)
            if name == "end" and number == 0:
                yield rest[0], rest[1]


Log: TypeAlias = RecordFile | PartLog
"""A log of runs and of the executions in them, in program order."""
