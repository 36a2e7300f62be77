"""The release of xDSL that is installed, and those that passel works on."""

from __future__ import annotations

from passel.errors import AdapterError
from passel.installed import version_of

OLDEST: tuple[int, ...] = (0, 59)
NEWEST: tuple[int, ...] = (0, 74)

INSTALLED = version_of("xdsl")


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.split(".")[:2]
    # A working copy calls itself `0+unknown`, and is taken for the newest.
    return tuple(map(int, parts)) if all(map(str.isdecimal, parts)) else NEWEST


RELEASE = _numbers(INSTALLED)
"""The first two numbers of the version."""


class ReleaseError(AdapterError, ImportError):
    """The installed release of xDSL is not one that passel works on."""


def check() -> None:
    """Check that the installed release can be used.

    Raises:
        ReleaseError: It cannot.
    """
    oldest, latest = (".".join(map(str, release)) for release in (OLDEST, NEWEST))
    if not OLDEST <= RELEASE <= NEWEST:
        raise ReleaseError(
            f"passel works on xDSL {oldest} to {latest}; installed is xDSL {INSTALLED}"
        )
