"""A source as slices, one for each op at the top, whose results can be kept."""

from __future__ import annotations

import pickle
import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from xdsl.dialects.func import FuncOp

from passel.diagnostics import Extent
from passel.xdsl.shards.frontend import ShardFrontend
from passel.xdsl.shards.pieces import Piece, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir.frontend import Frontend, SourcePart
    from passel.xdsl.shards.outline import Definition, Outline
    from passel.xdsl.targets import Emitter

_ANY: Final = "any"
_HEAD: Final = re.compile(r"[^\n\"/]*\{[ \t]*\n")
_DICTIONARY: Final = re.compile(r"\battributes[ \t]*\{[ \t]*\n")
_WORD: Final = re.compile(r"[\w.$\"]*.?")


class ShardSlices:
    """Slices of a source, each a shard.

    Args:
        base: The frontend of the whole.
        emitter: What prints MLIR.
        outline: How the source is cut, with one shard for each op.
        part: The source.
        places: Whether results depend on where in the source an op is.
    """

    def __init__(
        self, base: Frontend, emitter: Emitter, outline: Outline, part: SourcePart, *, places: bool
    ) -> None:
        self._base = base
        self._emitter = emitter
        self._outline = outline
        self._part = part
        self._places = places
        text, starts, end = outline.text, outline.starts, outline.end
        self.around: Sequence[str] = (text[: starts[0]], "" if end is None else text[end:])
        self._signatures: dict[Definition, str] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._outline.starts)

    def text(self, index: int) -> str:
        """Return the text of an op, and of what stands up to the next."""
        return self._outline.text[self._outline.starts[index] : self._outline.stop(index)].rstrip()

    def extent(self, index: int) -> Extent:
        """Return the lines of an op."""
        first = self._line(self._outline.starts[index])
        return Extent(self._part.name, first, first + self.text(index).count("\n"))

    def seen(self, index: int) -> Sequence[tuple[str, str]]:
        """Return the token after an op, its place, and what the ops that it refers to say.

        The place counts as well where the text has locations, which may name it.
        """
        outline = self._outline
        stop, places = outline.stop(index), self._places or "loc(" in self.text(index)
        after = _WORD.match(outline.text, stop) if stop is not None else None
        seen = [("what follows it", after[0] if after else "")]
        seen.append(("its place", self._place(outline.starts[index]) if places else ""))
        for each in outline.needed(index):
            said = outline.text[each.start : each.end]
            said = f"{self._place(each.start)} {said}" if places else self._signature(each, said)
            seen += [(f"the signature of @{each.symbol}", f"{each.op_name} {said}")]
        return seen

    def frontend(self, indices: Sequence[int]) -> ShardFrontend:
        """Return a frontend of some slices, which guards them."""
        return ShardFrontend(self._base, self._emitter, self._outline, indices, guards=True)

    def results(self, emitted: bytes) -> tuple[Sequence[Any], Any]:
        """Return the results of slices, with places counted from where a slice begins."""
        pieces: list[Piece] = pickle.loads(emitted)  # noqa: S301 - by a copy of this process
        return [self._result(each) for each in pieces], list(pieces[0].shell)

    def _result(self, piece: Piece) -> Any:
        starts, index_at = self._outline.starts, self._outline.index_at
        symbols = {name: at - starts[index_at(at)] for name, at in sorted(piece.symbols.items())}
        return [piece.body, symbols, sorted(piece.changed), sorted(piece.op_names)]

    def join(self, results: Sequence[Any], around: Any, anchors: Sequence[str]) -> str | None:
        """Return what results make; None if slices needed to know of each other."""
        try:
            before, after = map(str, around)
            pieces = [self._piece(n, result, (before, after)) for n, result in enumerate(results)]
        except (AttributeError, TypeError) as error:
            raise ValueError("this is no result of a slice") from error
        names = frozenset[str]().union(*(piece.op_names for piece in pieces))
        if any((FuncOp.name if each == _ANY else each) not in names for each in anchors):
            return None
        return join(pieces)

    def _piece(self, index: int, result: Any, shell: tuple[str, str]) -> Piece:
        body, symbols, changed, op_names = result
        start = self._outline.starts[index]
        return Piece(
            str(body),
            shell,
            {name: start + int(offset) for name, offset in symbols.items()},
            frozenset(self._outline.references(index)),
            {each.symbol: each.start for each in self._outline.needed(index)},
            frozenset(changed),
            frozenset(op_names),
        )

    def _line(self, offset: int) -> int:
        return self._part.line_offset + bisect_right(self._lines, offset)

    def _place(self, offset: int) -> str:
        start = self._lines[bisect_right(self._lines, offset) - 1]
        return f"{self._part.name}:{self._line(offset)}:{offset - start}"

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self._outline.text))]

    def _signature(self, definition: Definition, text: str) -> str:
        """Return what an op says of itself: the first line of most functions, else all."""
        if definition not in self._signatures:
            head = _HEAD.match(text) if definition.op_name == FuncOp.name else None
            is_head = head is not None and _is_balanced(head[0])
            self._signatures[definition] = head[0] if head and is_head else text
        return self._signatures[definition]


def _is_balanced(line: str) -> bool:
    """Return whether the only bracket that a line leaves open is the last, which opens a body."""
    count = line.replace("->", "").count
    return (
        count("{") == count("}") + 1
        and all(count(opening) == count(closing) for opening, closing in ("()", "[]", "<>"))
        and _DICTIONARY.search(line) is None
    )
