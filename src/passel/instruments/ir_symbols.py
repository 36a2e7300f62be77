"""Symbols: the op that defines one, for printing that op alone."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from passel.diagnostics import suggest
from passel.ir import inwards, outwards

if TYPE_CHECKING:
    from passel.ir import IRAdapter


def find_symbol(adapter: IRAdapter, op: Any, symbol: str) -> Any:
    """Return the op that defines `symbol` and encloses `op`, or else the first one in it, or None.

    Example:
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> print(find_symbol(ToyAdapter(), parse_toy("toy.module(toy.func @f)"), "f"))
        toy.func @f
    """
    candidates = chain(outwards(adapter, op), inwards(adapter, op))
    return next((each for each in candidates if adapter.symbol_name(each) == symbol), None)


def complaint(adapter: IRAdapter, op: Any, symbol: str) -> str:
    """Return why nothing was printed for a symbol."""
    known = [name for each in inwards(adapter, op) if (name := adapter.symbol_name(each))]
    if symbol in known:
        where = f"@{symbol}, or on an op that encloses it or is in it"
        return f"no pass ran on {where}, so its IR was not printed"
    return f"no operation defines @{symbol}, so its IR was not printed{suggest(symbol, known)}"
