"""The ops that enclose an op, and those that are nested in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import AdapterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.ir.contract import IRAdapter


def outwards(adapter: IRAdapter, op: Any) -> Iterator[Any]:
    """Yield an op and its enclosing ops, from the inside.

    Raises:
        AdapterError: The adapter answers that an op encloses itself.
    """
    while op is not None:
        yield op
        outer = adapter.parent(op)
        if outer is not None and outer == op:
            raise AdapterError(
                f"the adapter of '{adapter.name}' returns an op itself as its enclosing op: "
                f"{type(adapter).__name__}.parent must return None at the top"
            )
        op = outer


def inwards(adapter: IRAdapter, op: Any) -> Iterator[Any]:
    """Yield an op and all that is nested in it, in program order."""
    waiting = [op]
    while waiting:
        yield (each := waiting.pop())
        waiting += reversed(adapter.children(each))
