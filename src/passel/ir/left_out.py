"""Messages about installed packages that cannot be used.

A broken package does not affect passel or other packages. A broken package is left out, and
reported with errors about unknown names and in lists of all names.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from passel.diagnostics import brief, log_warning
from passel.errors import AdapterError
from passel.installed import version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.installed import EntryPoint

_left_out: dict[tuple[str, str], str] = {}
"""Packages and names that are left out in this process, and why, with their first entry points."""

_unusable: list[AdapterError] = []
"""The errors of installed IRs that cannot be used, such as an old release of xDSL."""

_reader: ContextVar[tuple[Callable[[str], None], set[tuple[str, str]]]]
_reader = ContextVar("reader", default=(log_warning, set()))
"""The receiver of messages, and what was reported to it: each message is shown once."""


def leave_out(point: EntryPoint, group: str, error: BaseException) -> None:
    """Record that the object of an entry point cannot be used.

    Args:
        point: The entry point.
        group: The group of the entry point.
        error: The error that loading the entry point raised.
    """
    if isinstance(error, AdapterError):
        _unusable.append(error)
    entry = f"package {package_of(point)}", brief(error)
    _left_out.setdefault(entry, f" (entry point '{point.name}' of {group})")


def leave_out_name(name: str, package: str, owner: str) -> None:
    """Record that a package registers a name that is already taken.

    Args:
        name: The name.
        package: The package, as `package_of` returns it.
        owner: The package that registered the name first.
    """
    cause = f"{owner} registered it first; override=True replaces it"
    _left_out.setdefault((f"'{name}' of package {package}", cause), "")


def package_of(point: EntryPoint) -> str:
    """Return the name of an entry point's package in messages."""
    return f"'{point.package}' {version_of(point.package)}"


def unusable_ir() -> AdapterError | None:
    """Return the error of an installed IR that cannot be used, if known."""
    return _unusable[0] if _unusable else None


def warn(message: str) -> None:
    """Pass a message to the function in `telling_left_out`, by default to the log."""
    tell, _ = _reader.get()
    tell(message)


def report_left_out() -> None:
    """Report each package that is left out and has not been reported yet, in a line.

    Lines are passed to the function in `telling_left_out`, by default to the log `passel`.
    """
    tell, told = _reader.get()
    for (what, cause), place in _left_out.items():
        if (what, cause) not in told:
            told.add((what, cause))
            tell(f"{what} is skipped: {cause}{place}")


@contextmanager
def telling_left_out(tell: Callable[[str], None]) -> Generator[None]:
    """Pass messages about packages that are left out to a function, even if already reported.

    Args:
        tell: A function that is called with each line.
    """
    token = _reader.set((tell, set()))
    try:
        yield
    finally:
        _reader.reset(token)
