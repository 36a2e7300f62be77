"""The file of a trace: an array that grows, and can be read at any time."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.instruments.whole_files import lasting

if TYPE_CHECKING:
    from typing import TextIO

_END = "\n]\n"


class TraceFile:
    """A file of events, as JSON arrays.

    A regular file holds one array, which is taken up again when it was complete. What cannot
    be taken up again, such as a pipe, gets one array after the other. Until it is complete,
    an array lacks its end, which the format allows; events are always whole.

    Args:
        target: A path, or a stream that stays open.

    Source: "Trace Event Format", the JSON array format.
    """

    def __init__(self, target: str | Path | TextIO) -> None:
        self._path = lasting(target) if isinstance(target, str | Path) else None
        self._stream: TextIO | None = None if isinstance(target, str | Path) else target
        self._begun = False
        self._size: int | None = None

    def write(self, events: list[dict[str, Any]], *, complete: bool) -> None:
        """Move events here, and add the array's end if it is complete.

        Raises:
            OSError: The file cannot be written; it is closed.
        """
        try:
            self._append(events, complete=complete)
        except OSError:
            self._close()  # or Python says it again at its exit
            raise

    def _append(self, events: list[dict[str, Any]], *, complete: bool) -> None:
        stream = self._opened()
        start = ",\n" if self._begun else "[\n"
        if text := ",\n".join(json.dumps(event, default=str) for event in events):
            # At once, so that an interrupt neither loses events nor lets them come twice.
            self._begun, events[:] = bool(stream.write(start + text)), ()
        stream.flush()
        if complete:
            self._complete(stream)

    def _opened(self) -> TextIO:
        if self._stream is None:
            assert self._path is not None  # noqa: S101 - one of them is there
            if self._size is None:
                self._stream = self._path.open("w", encoding="ascii", newline="\n")
            else:
                self._stream = self._path.open("r+", encoding="ascii", newline="\n")
                self._stream.seek(self._size)
                self._begun = self._size > 0
        return self._stream

    def _complete(self, stream: TextIO) -> None:
        try:
            if self._path is not None:
                self._size = stream.tell() if self._path.is_file() else None
            self._begun = not stream.write(_END if self._begun else f"[{_END}")
            stream.flush()
        finally:
            self._close()

    def _close(self) -> None:
        """Close what was opened here."""
        if self._path is not None and self._stream is not None:
            stream, self._stream = self._stream, None
            with suppress(OSError):
                stream.close()
