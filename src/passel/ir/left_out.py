"""Messages about installed packages that cannot be used.

An installed package that cannot be loaded does not affect passel or other packages. The package is
skipped, and is reported along with errors about unknown names and in lists of all names.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from passel.diagnostics import log_warning
from passel.errors import AdapterError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from importlib.metadata import EntryPoint

_left_out: dict[tuple[str, str], str] = {}
"""The suffix of each message about a skipped package or name, by its subject and its cause."""

_unusable: list[AdapterError] = []
"""The errors from loading adapters, such as the error for an unsupported release of xDSL."""

_reader: ContextVar[tuple[Callable[[str], None], set[tuple[str, str]]]]
_reader = ContextVar("reader", default=(log_warning, set()))
"""The function that receives messages, and the messages it has already received."""


def leave_out(point: EntryPoint, group: str, error: BaseException) -> None:
    """Record that an entry point of an installed package cannot be loaded.

    Args:
        point: The entry point.
        group: The group of the entry point, such as `passel.adapters`.
        error: The exception that was raised while the entry point was loaded.
    """
    from passel.tracebacks import brief_at  # noqa: PLC0415 - only needed when something is wrong

    if isinstance(error, AdapterError):
        _unusable.append(error)
    entry = f"package {package_of(point)}", brief_at(error)
    _left_out.setdefault(entry, f" (entry point '{point.name}' of {group})")


def leave_out_name(name: str, package: str, owner: str) -> None:
    """Record that a package registers a name that another package has already registered.

    Args:
        name: The registered name.
        package: The text that `package_of` returns for the package.
        owner: A description of the code that registered the name earlier.
    """
    cause = f"{owner} registered the name first; use override=True to replace it"
    _left_out.setdefault((f"'{name}' from package {package}", cause), "")


def package_of(point: EntryPoint) -> str:
    """Return the name and version of the package that declares an entry point, as text."""
    return f"'{point.dist.name}' {point.dist.version}" if point.dist else f"'{point.module}'"


def unusable_ir() -> AdapterError | None:
    """Return the first error from loading an installed adapter, or None if there was no error."""
    return _unusable[0] if _unusable else None


def warn(message: str) -> None:
    """Send a message to the function given to `telling_left_out`, or else log the message."""
    _reader.get()[0](message)


def report_left_out() -> None:
    """Report each skipped package that has not been reported yet, on a line of its own.

    Each line is sent to the function given to `telling_left_out`. By default, the logger `passel`
    logs the lines.
    """
    tell, told = _reader.get()
    for (what, cause), place in _left_out.items():
        if (what, cause) not in told:
            told.add((what, cause))
            tell(f"{what} is skipped: {cause}{place}")


@contextmanager
def telling_left_out(tell: Callable[[str], None]) -> Generator[None]:
    """Send messages about skipped packages to a function, even messages that were sent before.

    Args:
        tell: The function, which is called with each message.
    """
    token = _reader.set((tell, set()))
    try:
        yield
    finally:
        _reader.reset(token)
