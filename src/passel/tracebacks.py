"""Errors as text that points to the code of pass authors instead of passel's code.

This module also transfers exceptions between processes.
"""

from __future__ import annotations

import linecache
import pickle
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from passel.diagnostics import Location, brief, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_PASSEL = __file__.removesuffix("tracebacks.py")
_OF_RUNS = str(Path(_PASSEL, "execution"))
"""The path prefix of the files that call passes."""


def raised_at(error: BaseException) -> Location:
    """Return the place in Python code where an error was raised.

    File names in the current folder are relative. For an invalid call of passel, the place is the
    call.
    """
    frames = frames_of(error)
    frame = _author(frames) or frames[-1]
    line = frame.lineno or 0
    source = linecache.getline(frame.filename, line).rstrip()
    return Location(_shown(frame.filename), line, (frame.colno or 0) + 1, source=source)


def brief_at(error: BaseException) -> str:
    """Return the class and message of an exception, and its line in the pass author's code, if any.

    Example:
        >>> brief_at(ValueError("too large"))
        'ValueError: too large'
    """
    frame = _author(frames_of(error))
    place = "" if frame is None else f" ({_shown(frame.filename)}:{frame.lineno})"
    return f"{brief(error)}{place}"


def traceback_of(error: BaseException) -> str:
    """Return an error with its traceback, even from another process, as Python prints it."""
    remote = _remote(error)
    return text_of(error) if remote is None else remote.text


def frames_of(error: BaseException) -> Sequence[traceback.FrameSummary]:
    """Return the calls that led to an error, even in another process."""
    remote = _remote(error)
    return traceback.extract_tb(error.__traceback__) if remote is None else remote.frames


def _remote(error: BaseException) -> RemoteError | None:
    here = error if isinstance(error, RemoteError) else error.__cause__
    return here if error.__traceback__ is None and isinstance(here, RemoteError) else None


def _author(frames: Sequence[traceback.FrameSummary]) -> traceback.FrameSummary | None:
    """Return the innermost call outside passel, if any."""
    # Generated code, as in `<string>`, has no source lines.
    return next((f for f in reversed(frames) if not f.filename.startswith(("<", _PASSEL))), None)


def _shown(name: str) -> str:
    path = Path(name)
    with suppress(OSError, ValueError):  # the directory is gone, or it is not below
        path = path.relative_to(Path.cwd())
    return str(path)


# -- From process to process -----------------------------------------------------------------


class RemoteError(Exception):
    """An exception from another process, as text.

    A `RemoteError` replaces an exception that cannot be pickled. For other exceptions, it is the
    `__cause__`, with the traceback.

    Args:
        text: The exception and its traceback.
        frames: The frames of the traceback.
    """

    def __init__(self, text: str, frames: Sequence[traceback.FrameSummary] = ()) -> None:
        super().__init__(text)
        self.text: str = text
        self.frames: tuple[traceback.FrameSummary, ...] = tuple(frames)
        self.message: str = f"\n{text}"

    def __str__(self) -> str:
        return self.message


def text_of(error: BaseException) -> str:
    """Return an exception with its traceback, without the calls that led to a pass.

    These calls differ in a worker, or with a time limit.
    """
    whole = told = traceback.TracebackException.from_exception(error)
    while told is not None:
        if told.stack and not told.stack[-1].filename.startswith(_OF_RUNS):
            told.stack[:] = [each for each in told.stack if not each.filename.startswith(_OF_RUNS)]
        told = told.__cause__ or told.__context__
    return "".join(whole.format())


class Portable(NamedTuple):
    """The pickled form of an exception.

    Attributes:
        itself: The exception; None if it cannot be pickled.
        name: The name of the exception's class.
        message: The message of the exception.
        text: The exception and its traceback as text.
        frames: The frames of the traceback.
    """

    itself: BaseException | None
    name: str
    message: str
    text: str
    frames: Sequence[traceback.FrameSummary] = ()

    @classmethod
    def of(cls, error: BaseException | None) -> Portable | None:
        """Return the pickled form of an exception."""
        if error is None:
            return None
        itself = None
        with suppress(BaseException):  # its own code runs
            # Some exceptions can be pickled but not unpickled.
            pickle.loads(pickle.dumps(error))  # noqa: S301 - it was written just now
            itself = error
        frames = tuple(traceback.extract_tb(error.__traceback__))
        return cls(itself, type(error).__name__, words_of(error), text_of(error), frames)

    def error(self) -> BaseException:
        """Return the exception, or a substitute with the same class name and message."""
        error = self.itself
        if error is None:
            error = type(self.name, (RemoteError,), {})(self.text, self.frames)
            error.message = self.message
        error.__cause__ = RemoteError(self.text, self.frames)
        return error
