"""Abilities of an adapter that searches ask for.

An adapter has one by having its methods; `passel.ir.ability_of` says whether it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager


@runtime_checkable
class LimitsRewrites(Protocol):
    """Optional ability of an adapter: single rewrites of its IR's rewriter can be counted."""

    def limited_rewrites(self, limit: int | None) -> AbstractContextManager[list[str]]:
        """Let passes inside the `with` block make so many rewrites; all if it is None.

        It yields a line about each that was made.
        """
        ...


class NotComputedError(Exception):
    """A function cannot be run; the message, said of the function, is why."""


class NotEndedError(NotComputedError):
    """A function takes too long."""


@runtime_checkable
class Computes(Protocol):
    """Optional ability of an adapter: functions of its IR can be run, to compare results."""

    def functions(self, op: Any) -> Sequence[str]:
        """Return the names of the functions in an op that have bodies."""
        ...

    def computed(
        self, op: Any, context: Any, symbol: str, arguments: str, seconds: float
    ) -> Sequence[str]:
        """Return what a function computes, once for each set of arguments.

        Args:
            op: The op with the function.
            context: Its context.
            symbol: The function's name.
            arguments: Its arguments, as the IR writes them; empty for some at random.
            seconds: How long it may take.

        Raises:
            NotComputedError: It cannot be run.
            NotEndedError: It takes longer.
        """
        ...
