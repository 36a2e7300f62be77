"""Lookup of the entry points of installed packages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points that installed packages declare in a group, sorted by name."""
    return sorted(_installed().select(group=group), key=lambda point: point.name)


@cache
def _installed() -> Any:  # `EntryPoints` since Python 3.12
    # Imported here, since this takes longer than the import of passel.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return entry_points()
