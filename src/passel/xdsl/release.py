"""The installed release of xDSL, and the releases that passel was tested with."""

from __future__ import annotations

from importlib.metadata import version
from typing import Final

from passel.diagnostics import log_warning_once

OLDEST: tuple[int, ...] = (0, 59)
NEWEST: tuple[int, ...] = (0, 75)

FAST: Final = frozenset({"0.66.0", "0.74.0", "0.75.0"})
"""The releases on which fast paths are enabled.

On these releases, tests compared the fast paths with xDSL's own code.
"""

INSTALLED: Final = version("xdsl")


def _numbers(text: str) -> tuple[int, ...] | None:
    parts = text.split(".")[:2]
    return tuple(map(int, parts)) if all(map(str.isdecimal, parts)) else None


RELEASE: tuple[int, ...] = _numbers(INSTALLED) or NEWEST
"""The major and minor version of the installed xDSL, or `NEWEST` if the version has no numbers."""


def check() -> None:
    """Warn if passel was not tested with the installed release of xDSL."""
    if _numbers(INSTALLED) is None or not OLDEST <= RELEASE <= NEWEST:
        oldest, newest = (".".join(map(str, release)) for release in (OLDEST, NEWEST))
        log_warning_once(
            f"passel is tested on xDSL {oldest} to {newest}; with the installed xDSL {INSTALLED}, "
            "fast paths are disabled"
        )
