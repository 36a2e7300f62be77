"""Fast paths, which compute the same results as xDSL's own code in less time.

A fast path replaces only code whose behavior is known (see `passel.xdsl.fast.known`). Fast paths
run only on the releases of xDSL for which tests have compared the results. xDSL's own code runs on
all other releases of xDSL, inside `slow_paths()`, and if `PASSEL_FAST=0` is set in the environment.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from xdsl.ir import OpResult, SSAValues
from xdsl.printer import Printer

from passel.xdsl.fast.invariants import remember_definitions
from passel.xdsl.fast.symbols import remember_symbols
from passel.xdsl.release import FAST, INSTALLED
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from xdsl.ir import Operation, Region
    from xdsl.pattern_rewriter import PatternRewriterListener, RewritePattern

SWITCH: Final = "PASSEL_FAST"
"""The environment variable that disables fast paths if it is 0."""

_REPEATS_ITSELF: Final = 1_000
"""The minimum size of a source, in characters, for which the template parser is worth loading."""

_NO_RESULTS: Final = SSAValues[OpResult](())

_is_slow: Final = ContextVar("slow_paths", default=False)


@contextmanager
def slow_paths() -> Generator[None]:
    """Disable fast paths inside the `with` block, to compare results with and without them.

    Example:
        >>> with slow_paths():
        ...     parser_class().__name__
        'SourceParser'
    """
    token = _is_slow.set(True)
    switch()
    try:
        yield
    finally:
        _is_slow.reset(token)
        switch()


def are_on() -> bool:
    """Return whether fast paths are enabled."""
    return INSTALLED in FAST and not _is_slow.get() and os.environ.get(SWITCH) != "0"


def parser_class(size: int = _REPEATS_ITSELF) -> type[SourceParser]:
    """Return the parser class that is fastest for a source of `size` characters."""
    if size < _REPEATS_ITSELF or not are_on():
        return SourceParser
    from passel.xdsl.fast.functions import FunctionParser

    return FunctionParser


def canonicalizing_pattern(pattern: RewritePattern) -> RewritePattern:
    """Return a faster equivalent of `pattern`; if fast paths are disabled, return `pattern`."""
    if not are_on():
        return pattern
    from passel.xdsl.fast.rewriting import QuickPattern

    return QuickPattern(pattern)


def dead_code_eraser() -> Callable[[Region, PatternRewriterListener | None], bool]:
    """Return a faster `region_dce`; if fast paths are disabled, return `region_dce` itself."""
    if not are_on():
        from xdsl.transforms.dead_code_elimination import region_dce

        return region_dce
    from passel.xdsl.fast.dead_code import erase_dead_code

    return erase_dead_code


def release(erased: Iterable[Operation]) -> None:
    """Break the reference cycles between erased ops and their results, to free memory early."""
    for op in erased:
        if op.parent is None:
            op.results = _NO_RESULTS


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
