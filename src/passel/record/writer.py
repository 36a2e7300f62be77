"""Write records as files with a line of JSON for each event."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from io import FileIO
from json import JSONEncoder
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel._version import __version__
from passel.diagnostics import file_problem
from passel.record.model import FORMAT
from passel.record.texts import texts_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.diagnostics import Location

_encode = JSONEncoder(separators=(",", ":")).encode
_TOGETHER = 64
"""The number of texts in a compressed block. To read a text, readers inflate the whole block."""


class RecordedOp(NamedTuple):
    """The data that identifies an op in a record; see `Execution`."""

    name: str
    symbol: str | None
    ordinals: tuple[int, ...]
    location: Location


Event: TypeAlias = "Mapping[str, Any]"
"""A line of a record, whose keys say what happened.

`run` marks the start of a run; the value is the known part of its `RunInfo`. `end` marks the end of
the innermost run; the value is a list of its failures. `begin` marks the start of an execution in
the innermost run; the value is the `StepInfo`, and `of` is the `RecordedOp`. `total` marks the end
of the innermost execution; the value is the time. `state` marks the text of an op, whose ordinals
are the value, at another time: before a pass of a dynamic pipeline, before a pass on an op that is
no part of an outline, or after nested pipelines. `after` is the digest of the op's new text; None
if the text is unknown.
"""


class RecordFile:
    """A record that is being written to a file.

    Each event is passed to the operating system immediately, so that no event is lost if the
    process is killed. A write error is reported once, and the run continues. The file is open only
    during runs.

    Args:
        path: The path of the file. The first run overwrites an existing file.
        command_line: The command and its arguments; by default, the command line of the process.
    """

    def __init__(self, path: str | Path, command_line: Sequence[str] | None = None) -> None:
        self.path: Path = Path(path)
        self._file: FileIO | None = None
        self._process = os.getpid()
        self._texts: set[str] = set()
        self._waiting: dict[str, str] = {}
        self._running = 0
        self._broken = False
        head = {
            "record": FORMAT,
            "passel": __version__,
            "python": python_version(),
            "command": [*(sys.orig_argv if command_line is None else command_line)],
            "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        self._head = _encode(head)  # empty once it has been written
        self._program = f"{command_line[0]}: " if command_line else ""

    def write(self, event: Event) -> None:
        """Write an event."""
        self._write(_encode(event))
        self._running += ("run" in event) - ("end" in event)
        if self._file is not None and not self._running:
            self._file.close()
            self._file = None

    def text(self, digest: str, content: str) -> None:
        """Write a text or an outline, unless the file already contains it."""
        if digest not in self._texts:
            self._texts.add(digest)
            self._waiting[digest] = content
            if len(self._waiting) == _TOGETHER:
                self._write()

    def _write(self, *lines: str) -> None:
        """Write the waiting texts, then lines that may refer to them."""
        waiting, self._waiting = self._waiting, {}
        if self._broken or os.getpid() != self._process:
            return
        if waiting:
            lines = (texts_data(waiting), *lines)
        try:
            if self._file is None:
                self._file = FileIO(self.path, "w" if self._head else "a")
            texts = (f"{line}\n" for line in (self._head, *lines) if line)
            data, self._head = memoryview("".join(texts).encode()), ""
            while data:
                data = data[self._file.write(data) :]
        except (OSError, ValueError) as error:
            self._broken = True
            what = f"cannot write the record '{self.path}': {file_problem(error)}"
            sys.stderr.write(f"{self._program}error: {what}\n")


class PartLog:
    """A log that collects the events in a worker, so that the parent process can write them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.texts: dict[str, str] = {}

    def write(self, event: Event) -> None:
        """Store an event."""
        self.events.append(event)

    def text(self, digest: str, content: str) -> None:
        """Store a text or an outline under its digest."""
        self.texts[digest] = content


Log: TypeAlias = RecordFile | PartLog
"""A log of runs and of the executions in them, in program order."""
