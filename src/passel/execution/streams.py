"""The standard streams of a process, which passes may close or replace, and its last words."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

last_words: list[Callable[[], str]] = []
"""Return what is written to the standard error when native code ends the process."""


def flush() -> None:
    """Write what the standard streams hold, unless they are closed or there are none."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()


def standard_streams() -> dict[str, Any]:
    """Return a value for the standard `output` and `error` each, equal while it is the same."""
    found: dict[str, Any] = {}
    for number, name, stream in ((1, "output", sys.stdout), (2, "error", sys.stderr)):
        file = None
        with suppress(OSError):
            status = os.fstat(number)
            file = status.st_dev, status.st_ino
        found[name] = stream, getattr(stream, "closed", True), file
    return found
