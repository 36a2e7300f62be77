"""Results of shards, and how they become one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Piece(NamedTuple):
    """The result of a shard, and what tells whether it could be had without the others.

    Attributes:
        body: Its ops as they are printed.
        shell: The source without any of its ops as it is printed: what comes before and after.
        symbols: Where its ops began in the source, by the symbols that they define.
        referred: Names in its text that may be those of symbols elsewhere.
        declared: Where the ops that were parsed for their symbols begin, by symbols.
        changed: The symbols of ops that say something else of themselves than in the source.
        op_names: Names of its ops.
    """

    body: str
    shell: tuple[str, str]
    symbols: Mapping[str, int]
    referred: frozenset[str]
    declared: Mapping[str, int]
    changed: frozenset[str]
    op_names: frozenset[str]


def join(pieces: Sequence[Piece]) -> str | None:
    """Return the result of the whole source; None if shards needed to know of each other."""
    symbols: dict[str, int] = {}
    for piece in pieces:
        if not symbols.keys().isdisjoint(piece.symbols):
            return None  # which is an error
        symbols |= piece.symbols
    for piece in pieces:
        elsewhere = piece.referred - piece.symbols.keys() - piece.declared.keys()
        if not symbols.keys().isdisjoint(elsewhere):  # which goes through the shorter one
            return None  # it was not found
        if any(symbols.get(name) != start for name, start in piece.declared.items()):
            return None
    changed = frozenset[str]().union(*(piece.changed for piece in pieces))
    if any(not changed.isdisjoint(piece.declared) for piece in pieces):
        return None  # others have seen it as it was
    before, after = pieces[0].shell
    return before + "".join(piece.body for piece in pieces) + after
