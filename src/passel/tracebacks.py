"""Convert errors to text that points to the code of pass authors, not to passel's code.

This module also transfers exceptions between processes.
"""

from __future__ import annotations

import importlib
import linecache
import pickle
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from passel.diagnostics import Location, brief, words_of

_PASSEL = __file__.removesuffix("tracebacks.py")
_NOT_AUTHORS = ("<", _PASSEL, str(Path(importlib.__file__).parent))
"""The prefixes of the names of files that pass authors did not write, such as `<string>`."""
_OF_RUNS = str(Path(_PASSEL, "execution"))
"""The path prefix of the files that call passes."""


def raised_at(error: BaseException) -> Location:
    """Return the location in Python code where an error was raised.

    In the result, the paths of files in the current directory are relative. If passel raised the
    error because of an invalid call, the result is the location of the call.
    """
    frame = _author(error) or traceback.extract_tb(error.__traceback__)[-1]
    line = frame.lineno or 0
    source = linecache.getline(frame.filename, line).rstrip()
    return Location(_shown(frame.filename), line, (frame.colno or 0) + 1, source=source)


def brief_at(error: BaseException) -> str:
    """Return an exception's class and message as text, with the file and line where it was raised.

    The file and line are omitted if the exception was not raised in a pass author's code.

    Example:
        >>> brief_at(ValueError("too large"))
        'ValueError: too large'
    """
    frame = _author(error)
    place = "" if frame is None else f" ({_shown(frame.filename)}:{frame.lineno})"
    return f"{brief(error)}{place}"


def traceback_of(error: BaseException) -> str:
    """Return the text of an error and its traceback, without the frames that called the pass.

    The omitted frames would differ between runs with and without workers or a time limit. The error
    may have been raised in another process.
    """
    remote = error if isinstance(error, RemoteError) else error.__cause__
    if error.__traceback__ is None and isinstance(remote, RemoteError):
        return remote.text
    whole = told = traceback.TracebackException.from_exception(error)
    while told is not None:
        if told.stack and not told.stack[-1].filename.startswith(_OF_RUNS):
            told.stack[:] = [each for each in told.stack if not each.filename.startswith(_OF_RUNS)]
        told = told.__cause__ or told.__context__
    return "".join(whole.format())


def _author(error: BaseException) -> traceback.FrameSummary | None:
    """Return the innermost call outside passel, if any."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return next((each for each in frames if not each.filename.startswith(_NOT_AUTHORS)), None)


def _shown(name: str) -> str:
    with suppress(OSError, ValueError):  # the directory is gone, or it is not below
        return str(Path(name).relative_to(Path.cwd()))
    return name


# -- From process to process -----------------------------------------------------------------


class RemoteError(Exception):
    """The text of an exception that another process raised.

    A `RemoteError` replaces an exception that cannot be pickled. If an exception can be pickled, a
    `RemoteError` with the traceback becomes its `__cause__`, unless the exception was sent with
    its own cause, as a `PassFailure` is.

    Args:
        message: The message of the exception.
        text: The exception and its traceback as text.
    """

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message, text)
        self.text: str = text

    def __str__(self) -> str:
        return self.args[0]


class Sent:
    """A wrapper that is pickled in place of an exception, and unpickled as the exception.

    If the exception cannot be pickled, it is unpickled as a `RemoteError` of the same name.
    """

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __reduce__(self) -> tuple[Any, ...]:
        error, data = self._error, b""
        with suppress(BaseException):  # its own code runs
            once = pickle.dumps(error)  # else a chain of causes would take exponential time
            # Some exceptions can be pickled but not unpickled.
            pickle.loads(once)  # noqa: S301 - it was written just now
            data = once
        return _received, (data, type(error).__name__, words_of(error), traceback_of(error))


def _received(data: bytes, name: str, message: str, text: str) -> BaseException:
    error = pickle.loads(data) if data else type(name, (RemoteError,), {})(message, text)  # noqa: S301 - of this run
    error.__cause__ = error.__cause__ or RemoteError(f"\n{text}", text)
    return error
