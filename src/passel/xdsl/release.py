"""The release of xDSL that is installed, and those that passel was tested on."""

from __future__ import annotations

from typing import Final

from passel.installed import version_of
from passel.ir.left_out import warn

OLDEST: tuple[int, ...] = (0, 59)
NEWEST: tuple[int, ...] = (0, 74)

FAST: Final = frozenset({"0.66.0", "0.74.0"})
"""Releases on which fast paths were compared with xDSL's own code; on others they are off."""

INSTALLED: Final = version_of("xdsl")


def _numbers(text: str) -> tuple[int, ...] | None:
    parts = text.split(".")[:2]
    return tuple(map(int, parts)) if all(map(str.isdecimal, parts)) else None


RELEASE: tuple[int, ...] = _numbers(INSTALLED) or NEWEST
"""The first two numbers of the version; those of the newest for a working copy."""


def check() -> None:
    """Warn of a release that passel was not tested on."""
    if _numbers(INSTALLED) is None or not OLDEST <= RELEASE <= NEWEST:
        oldest, newest = (".".join(map(str, release)) for release in (OLDEST, NEWEST))
        warn(
            f"passel was tested on xDSL {oldest} to {newest}; installed is xDSL {INSTALLED}, on "
            "which it takes no fast paths"
        )
