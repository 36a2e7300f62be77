"""Installed packages that cannot be used, and the messages about them.

A broken package takes neither passel nor other packages with it. It is left out, and reported
when what it may have had is wanted: a name that is unknown otherwise, or a list of all.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from passel.diagnostics import brief, log_warning
from passel.errors import AdapterError
from passel.installed import version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.installed import EntryPoint


class _LeftOut(NamedTuple):
    """A package, or a name of one, that is left out, and why."""

    what: str
    cause: str


class _Reader:
    """A reader of messages about packages that are left out, each once."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.told: set[_LeftOut] = set()


_left_out: dict[_LeftOut, str] = {}
"""Everything that is left out in this process, with the entry point that was tried first."""

_unusable: list[AdapterError] = []
"""Why installed IRs cannot be used that passel knows, such as another release of xDSL."""

_log = _Reader(log_warning)
_reader: ContextVar[_Reader] = ContextVar("reader", default=_log)


def leave_out(point: EntryPoint, group: str, error: BaseException) -> None:
    """Note that the object of an entry point cannot be used.

    Args:
        point: The entry point.
        group: Its group.
        error: The error that it raised.
    """
    if isinstance(error, AdapterError):
        _unusable.append(error)
    entry = _LeftOut(f"package {package_of(point)}", brief(error))
    _left_out.setdefault(entry, f" (entry point '{point.name}' of {group})")


def leave_out_name(name: str, package: str, owner: str) -> None:
    """Take note that a package registers a name that another one has.

    Args:
        name: The name.
        package: The package, as `package_of` returns it.
        owner: Who registered it before.
    """
    cause = f"{owner} has registered it; override=True replaces that"
    _left_out.setdefault(_LeftOut(f"'{name}' of package {package}", cause), "")


def package_of(point: EntryPoint) -> str:
    """Return how messages call the package that an entry point belongs to."""
    return f"'{point.package}' {version_of(point.package)}"


def unusable_ir() -> AdapterError | None:
    """Return why an installed IR cannot be used, if that has been found out of one."""
    return _unusable[0] if _unusable else None


def warn(message: str) -> None:
    """Tell the reader of `telling_left_out` something, by default the log `passel`."""
    _reader.get().tell(message)


def report_left_out() -> None:
    """Report the packages that are left out and have not been reported yet, a line for each.

    The line goes to the reader of `telling_left_out`, by default to the log `passel`.
    """
    reader = _reader.get()
    for entry in _left_out.keys() - reader.told:
        reader.told.add(entry)
        warn(f"{entry.what} is left out: {entry.cause}{_left_out[entry]}")


@contextmanager
def telling_left_out(tell: Callable[[str], None]) -> Generator[None]:
    """Hand each package that is left out to a function, those included that were reported before.

    Args:
        tell: Takes a line.
    """
    token = _reader.set(_Reader(tell))
    try:
        yield
    finally:
        _reader.reset(token)
