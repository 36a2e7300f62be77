"""The entry points of installed packages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from passel.diagnostics import log_warning_once

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint


def entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points that installed packages declare in a group, sorted by name."""
    return sorted(_installed().select(group=group), key=lambda point: point.name)


@cache
def _installed() -> Any:  # `EntryPoints` since Python 3.12
    # Imported here, since this takes longer than the import of passel.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return entry_points()


def use_installed(group: str, use: Callable[[str, Any], object]) -> None:
    """Load the entry points in a group, and call a function with the name and object of each.

    An entry point that fails is skipped, and the logger `passel` reports the error.
    """
    for point in entry_points(group):
        try:
            use(point.name, point.load())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken package must not stop others
            leave_out(point, error)


def leave_out(point: EntryPoint, error: BaseException) -> None:
    """Warn that an entry point of an installed package cannot be loaded, and is skipped.

    Args:
        point: The entry point.
        error: The exception that was raised while the entry point was loaded.
    """
    from passel.tracebacks import brief_at  # noqa: PLC0415 - only needed when something is wrong

    log_warning_once(f"package {package_of(point)} is skipped: {brief_at(error)}")


def package_of(point: EntryPoint) -> str:
    """Return a text with the name and version of the package that declares an entry point."""
    # Read once, since that parses all of it, with the package's description.
    metadata = point.dist and point.dist.metadata
    return f"'{metadata['Name']}' {metadata['Version']}" if metadata else f"'{point.module}'"
