"""Fast paths: the same results as xDSL's, without doing for each op what was done for one like it.

Each has a slow twin, which is what remains when it is off: where the installed version of
xDSL is not as assumed, and inside `slow_paths()`.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Generator

_is_slow: Final = ContextVar("slow_paths", default=False)


@contextmanager
def slow_paths() -> Generator[None]:
    """Do without fast paths inside the `with` block, for comparison.

    Example:
        >>> with slow_paths():
        ...     parser_class().__name__
        'SourceParser'
    """
    token = _is_slow.set(True)
    try:
        yield
    finally:
        _is_slow.reset(token)


def parser_class() -> type[SourceParser]:
    """Return the parser to use."""
    if _is_slow.get():
        return SourceParser
    try:
        from passel.xdsl.fast.assumptions import mismatches
        from passel.xdsl.fast.example_parser import ExampleParser
    except ImportError:  # another version of xDSL
        return SourceParser
    return SourceParser if mismatches() else ExampleParser
