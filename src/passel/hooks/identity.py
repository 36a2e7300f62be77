"""Identities of ops, by which observers know them in every run and in all workers."""

from __future__ import annotations

from typing import NamedTuple


class OpIdentity(NamedTuple):
    """The identity of an op: its name, and its place among its siblings.

    Attributes:
        name: Its name, such as `func.func`.
        symbol: Its symbol name, if it has one.
        ordinal: Which it is of the ops immediately inside of the enclosing op, counted from 0
            when the nested pipelines on these started.
    """

    name: str
    symbol: str | None = None
    ordinal: int = 0

    @property
    def title(self) -> str:
        """The op as MLIR names it, such as `'func.func' operation: @main`."""
        suffix = "" if self.symbol is None else f": @{self.symbol}"
        return f"'{self.name}' operation{suffix}"
