"""Lines of Python that an error is about: those of authors, rather than passel's own."""

from __future__ import annotations

import linecache
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from passel.diagnostics import Location, brief
from passel.errors import RemoteError, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_PASSEL = str(Path(__file__).parent)


def raised_at(error: BaseException) -> Location:
    """Return where in Python an error was raised; the path starts here if it is below.

    An error about a wrong call of passel, which passel raises, has the place of the call.
    """
    frames = frames_of(error)
    frame = _author(frames) or frames[-1]
    line = frame.lineno or 0
    source = linecache.getline(frame.filename, line).rstrip()
    return Location(_shown(frame.filename), line, (frame.colno or 0) + 1, source=source)


def brief_at(error: BaseException) -> str:
    """Return an exception's class, what it says, and the author's line, if there is one.

    Example:
        >>> brief_at(ValueError("too large"))
        'ValueError: too large'
    """
    frame = _author(frames_of(error))
    place = "" if frame is None else f" ({_shown(frame.filename)}:{frame.lineno})"
    return f"{brief(error)}{place}"


def traceback_of(error: BaseException) -> str:
    """Return an error with its traceback, as Python prints it; maybe that of another process."""
    remote = _remote(error)
    return text_of(error) if remote is None else remote.text


def frames_of(error: BaseException) -> Sequence[traceback.FrameSummary]:
    """Return the calls that led to an error, maybe in another process."""
    remote = _remote(error)
    return traceback.extract_tb(error.__traceback__) if remote is None else remote.frames


def _remote(error: BaseException) -> RemoteError | None:
    here = error if isinstance(error, RemoteError) else error.__cause__
    return here if error.__traceback__ is None and isinstance(here, RemoteError) else None


def _author(frames: Sequence[traceback.FrameSummary]) -> traceback.FrameSummary | None:
    """Return the innermost call outside of passel, if there is one."""
    for frame in reversed(frames):
        # Code that something has made, as in `<string>`, has no line that can be shown.
        if not frame.filename.startswith(("<", _PASSEL)):
            return frame
    return None


def _shown(name: str) -> str:
    path = Path(name)
    with suppress(OSError, ValueError):  # the directory is gone, or it is not below
        path = path.relative_to(Path.cwd())
    return str(path)
