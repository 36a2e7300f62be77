"""Warnings about installed packages that cannot be used.

An installed package that cannot be loaded does not affect passel or other packages. The package is
skipped, and a warning gives the reason.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

from passel.diagnostics import log_warning_once

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from importlib.metadata import EntryPoint

_tell: ContextVar[Callable[[str], None]] = ContextVar("tell", default=log_warning_once)
"""The function that receives warnings, and ignores those that it has already received."""


def leave_out(point: EntryPoint, error: BaseException) -> None:
    """Warn that an entry point of an installed package cannot be loaded.

    Args:
        point: The entry point.
        error: The exception that was raised while the entry point was loaded.
    """
    from passel.tracebacks import brief_at  # noqa: PLC0415 - only needed when something is wrong

    warn(f"package {package_of(point)} is skipped: {brief_at(error)}")


def package_of(point: EntryPoint) -> str:
    """Return a text with the name and version of the package that declares an entry point."""
    return f"'{point.dist.name}' {point.dist.version}" if point.dist else f"'{point.module}'"


def warn(message: str) -> None:
    """Send a warning, unless the same warning was sent before.

    Inside a `with warning_with(...):` block, the function given to `warning_with` receives the
    warning. Elsewhere, the warning is logged.
    """
    _tell.get()(message)


@contextmanager
def warning_with(tell: Callable[[str], None]) -> Generator[None]:
    """Inside the `with` block, send warnings about installed packages to a function.

    A warning that was sent before the `with` block can be sent once more inside the block.

    Args:
        tell: The function, which is called with each warning.
    """
    token = _tell.set(cache(tell))
    try:
        yield
    finally:
        _tell.reset(token)
