"""The places where stores are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from passel.store.database import LocalStore

if TYPE_CHECKING:
    from passel.store.entries import Store


def default_place() -> str:
    """Return where results are kept if nothing else is asked for."""
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "passel")  # noqa: PTH118


def open_store(place: str, *, writes: bool = True) -> Store:
    """Return the store at a place.

    Args:
        place: A directory of a local disk, or a URL.
        writes: Whether anything may be written.

    Raises:
        PasselError: A package that the URL needs is not installed.
    """
    if "://" not in place:
        return LocalStore(Path(place).expanduser(), writes=writes)
    from passel.store.remote import RemoteStore  # noqa: PLC0415 - most stores are local

    return RemoteStore(place)
