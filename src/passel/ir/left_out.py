"""Warnings about installed packages that cannot be used.

An installed package that cannot be loaded does not affect passel or other packages. The package is
skipped, and a warning gives the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.diagnostics import log_warning_once

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def leave_out(point: EntryPoint, error: BaseException) -> None:
    """Warn that an entry point of an installed package cannot be loaded.

    Args:
        point: The entry point.
        error: The exception that was raised while the entry point was loaded.
    """
    from passel.tracebacks import brief_at  # noqa: PLC0415 - only needed when something is wrong

    log_warning_once(f"package {package_of(point)} is skipped: {brief_at(error)}")


def package_of(point: EntryPoint) -> str:
    """Return a text with the name and version of the package that declares an entry point."""
    return f"'{point.dist.name}' {point.dist.version}" if point.dist else f"'{point.module}'"
