"""Fast paths: the same results as xDSL's, without doing for each op what was done for one like it.

Each has a slow twin, which is what remains when it is off: where the installed version of
xDSL is not as assumed, and inside `slow_paths()`.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Final

from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from xdsl.ir import Operation, Region

    from passel.xdsl.fast.example_printer import ExamplePrinter
    from passel.xdsl.fast.examples import Examples
    from passel.xdsl.fast.greedy import GreedyRewriter
    from passel.xdsl.fast.subexpressions import SubexpressionEliminator

_is_slow: Final = ContextVar("slow_paths", default=False)

_FEW: Final = 200
"""Ops that are printed sooner than it is known whether xDSL's printer is as assumed."""


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
    if not _is_as_assumed():
        return SourceParser
    try:
        from passel.xdsl.fast.example_parser import ExampleParser
    except ImportError:  # another version of xDSL
        return SourceParser
    return ExampleParser


def greedy_rewriter() -> type[GreedyRewriter] | None:
    """Return what canonicalizes in place of xDSL's rewriter, if anything."""
    if not _rewrites_as_assumed():
        return None
    from passel.xdsl.fast.greedy import GreedyRewriter

    return GreedyRewriter


def dead_code_eraser() -> Callable[[Region], bool] | None:
    """Return what erases dead code in place of xDSL's function, if anything."""
    if not _rewrites_as_assumed():
        return None
    from passel.xdsl.fast.dead_code import erase_dead_code

    return erase_dead_code


def subexpression_eliminator() -> type[SubexpressionEliminator] | None:
    """Return what eliminates common subexpressions in place of xDSL's driver, if anything."""
    if not _rewrites_as_assumed():
        return None
    from passel.xdsl.fast.subexpressions import SubexpressionEliminator

    return SubexpressionEliminator


def tracks_changes() -> bool:
    """Return whether it can be found out what has changed in an op."""
    if not _is_as_assumed():
        return False
    try:
        from passel.xdsl.fast.change_assumptions import change_mismatches
    except ImportError:  # another version of xDSL
        return False
    return not change_mismatches()


def _is_as_assumed() -> bool:
    """Return whether fast paths are on, and xDSL is as they assume."""
    if _is_slow.get():
        return False
    try:
        from passel.xdsl.fast.assumptions import mismatches
    except ImportError:  # another version of xDSL
        return False
    return not mismatches()


def _rewrites_as_assumed() -> bool:
    """Return whether those of rewriting are on."""
    if not _is_as_assumed():
        return False
    try:
        from passel.xdsl.fast.rewriting_assumptions import rewriting_mismatches
    except ImportError:  # another version of xDSL
        return False
    return not rewriting_mismatches()


def printer_class() -> type[ExamplePrinter] | None:
    """Return the printer to use; None if that is xDSL's own."""
    if _is_slow.get():
        return None
    try:
        from passel.xdsl.fast.example_printer import ExamplePrinter
        from passel.xdsl.fast.printing_assumptions import mismatches
    except ImportError:  # another version of xDSL
        return None
    return None if mismatches() else ExamplePrinter


class PrintingMemory:
    """Templates learned from ops that were printed, to be handed from printer to printer."""

    def __init__(self) -> None:
        self._examples: dict[tuple[tuple[str, bool], ...], Examples] = {}
        self._printed = 0

    def pays_for(self, op: Operation) -> bool:
        """Return whether so much is printed that there is something to learn."""
        if self._printed < _FEW:
            self._printed += sum(1 for _ in islice(op.walk(), _FEW))
        return self._printed >= _FEW

    def examples(self, **flags: bool) -> Examples:
        """Return what was learned with the same flags."""
        from passel.xdsl.fast.examples import Examples

        key = tuple(sorted(flags.items()))
        if key not in self._examples:
            self._examples[key] = Examples(flags)
        return self._examples[key]
