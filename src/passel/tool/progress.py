"""The line of progress of the tool, below all that is written to the terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from passel.instruments.progress import Progress, StatusLine, has_status_line

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from typing import TextIO


class _Stream:
    """A stream to a terminal with a line at the bottom."""

    def __init__(self, stream: TextIO, line: StatusLine) -> None:
        self._stream = stream
        self._line = line

    def write(self, text: str) -> int:
        """Write above the line."""
        self._line.write(self._stream, text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write above the line."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def progress_line() -> Generator[Progress | None]:
    """Show a line of progress on the terminal, below what is written to it.

    Yields:
        The observer of the runs; None if the terminal cannot move its cursor.
    """
    if not has_status_line():
        yield None
        return
    before = sys.stdout, sys.stderr
    line = StatusLine(sys.stderr)
    sys.stderr = _Stream(sys.stderr, line)
    if sys.stdout is not None and sys.stdout.isatty():
        sys.stdout = _Stream(sys.stdout, line)
    try:
        yield Progress(line)
    finally:
        line.hide()
        sys.stdout, sys.stderr = before
