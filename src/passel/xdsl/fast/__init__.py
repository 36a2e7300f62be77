"""Fast paths, which compute the same results as xDSL's own code in less time.

A fast path replaces only code whose behavior is known (see `passel.xdsl.fast.known`). Fast paths
run only on the releases of xDSL for which tests have compared the results. xDSL's own code runs on
all other releases of xDSL, inside `slow_paths()`, and if `PASSEL_FAST=0` is set in the environment.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from xdsl.context import Context
from xdsl.printer import Printer

from passel.xdsl.fast.invariants import remember_definitions
from passel.xdsl.fast.symbols import remember_symbols
from passel.xdsl.release import FAST, INSTALLED
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Generator

_REPEATS_ITSELF: Final = 1_000
"""The minimum size of a source, in characters, for which the template parser is worth loading."""

_is_slow: Final = ContextVar("slow_paths", default=False)


@contextmanager
def slow_paths() -> Generator[None]:
    """Disable fast paths inside the `with` block, to compare results with and without them.

    Example:
        >>> with slow_paths():
        ...     printer_class().__name__
        'Printer'
    """
    token = _is_slow.set(True)
    switch()
    try:
        yield
    finally:
        _is_slow.reset(token)
        switch()


def are_on() -> bool:
    """Return whether fast paths are enabled, which `PASSEL_FAST=0` in the environment prevents."""
    return INSTALLED in FAST and not _is_slow.get() and os.environ.get("PASSEL_FAST") != "0"


def make_parser(context: Context, text: str, *arguments: Any) -> SourceParser:
    """Create the parser that is fastest for a text.

    Args:
        context: The context. If its class is not xDSL's, how it looks up names is unknown, so the
            parser uses no templates.
        text: The source text.
        arguments: The other arguments of `SourceParser`.
    """
    if len(text) < _REPEATS_ITSELF or type(context) is not Context or not are_on():
        return SourceParser(context, text, *arguments)
    from passel.xdsl.fast.template_parser import TemplateParser

    return TemplateParser(context, text, *arguments)


def switch() -> None:
    """Enable the caches in xDSL's classes if fast paths are enabled; otherwise, disable them."""
    remember_definitions(remember=are_on())
    remember_symbols(remember=are_on())


def printer_class() -> type[Printer]:
    """Return a faster `Printer`; if fast paths are disabled, return `Printer` itself."""
    if not are_on():
        return Printer
    from passel.xdsl.fast.printer import TemplatePrinter

    return TemplatePrinter
