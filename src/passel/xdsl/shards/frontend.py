"""Reading and printing some shards as if they were a source of its own."""

from __future__ import annotations

import pickle
from collections import defaultdict
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import ParseError

from passel.ir.frontend import Parsed, SliceFrontend, UnreadableError
from passel.xdsl.parsing import parse_source
from passel.xdsl.shards.guard import Guard
from passel.xdsl.shards.parser import ShardParser, shard_parser
from passel.xdsl.shards.pieces import Piece
from passel.xdsl.symbols import symbol_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation

    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import Frontend, SliceGuard, SourcePart
    from passel.xdsl.shards.outline import Outline
    from passel.xdsl.targets import Emitter

_EQUATED = (FunctionType, StringAttr)
"""Attributes whose equality is known to be right."""


class ShardFrontend(SliceFrontend):
    """Frontend of shards; what it emits is a `Piece` for each, pickled.

    Args:
        base: The frontend of the whole.
        emitter: What prints MLIR.
        outline: How the source is cut.
        indices: Which shards they are.
        guards: Whether to notice passes that look at other ops than their own, in this process.
    """

    def __init__(
        self,
        base: Frontend,
        emitter: Emitter,
        outline: Outline,
        indices: Sequence[int],
        *,
        guards: bool = False,
    ) -> None:
        super().__init__(base.adapter)
        self.configure(base.settings)
        self._base = base
        self._emitter = emitter
        self._outline = outline
        self._indices = indices
        self.guards: bool = guards

    def new_context(self) -> Context:
        """Return a context like that of the whole."""
        return self._base.new_context()

    def parse(
        self, part: SourcePart, context: Context, warn: Callable[[Diagnostic], None]
    ) -> Parsed:
        """Parse the shards, in what encloses them."""
        parsers: list[ShardParser] = []

        def make(*arguments: Any) -> ShardParser:
            parser = shard_parser()(*arguments)
            parser.set_shards(self._outline, self._indices)
            parsers.append(parser)
            return parser

        try:
            op = parse_source(
                context, part.text, part.name, line_offset=part.line_offset, make_parser=make
            )
        except ParseError as error:
            raise UnreadableError([]) from error
        (self._parser,) = parsers
        self._children = self.adapter.children(op)
        self._module = self.adapter.fingerprint(op, recursive=False)
        self._headers = [self._header(each) for each, *_ in self._parser.own]
        self._names = [symbol_name(each) for each, *_ in self._parser.own]
        self._slices = {id(each): index for each, _, index in self._parser.own}
        if self.guards:
            self.guard: SliceGuard = Guard(op.regions[0].block)
        return Parsed(op)

    def slice_of(self, op: Operation) -> int | None:
        """Return the shard that an op at the top is of; None for a declaration."""
        return self._slices.get(id(op))

    def emit(self, parsed: Parsed, context: Context) -> bytes:
        """Return what `join` takes.

        Raises:
            ValueError: The ops cannot be printed without those of other shards.
        """
        module, own = parsed.op, self._parser.own
        ops, names = [op for op, *_ in own], self._names
        symbols = {name: start for name, (_, start, _) in zip(names, own, strict=True) if name}
        if (
            self.adapter.fingerprint(module, recursive=False) != self._module
            or self.adapter.children(module) != self._children
            or [symbol_name(op) for op in ops] != names
            or len(symbols) != sum(map(bool, names))
        ):
            raise ValueError("the shard is not what is there in the source")
        known = symbols | {each.symbol: each.start for _, each in self._parser.declared}
        found = defaultdict[int, list[_Own]](list)
        for name, (op, start, index), header in zip(names, own, self._headers, strict=True):
            found[index].append(_Own(name, op, start, header))
        pieces = [self._piece(index, found[index], known) for index in self._indices]
        shell = self._emitter.emit_shell(module, context)
        return pickle.dumps(
            [each._replace(shell=shell) for each in pieces], pickle.HIGHEST_PROTOCOL
        )

    def _piece(self, index: int, own: Sequence[_Own], known: Mapping[str, int]) -> Piece:
        """Return the result of one shard, as yet without its shell."""
        declared = {each.symbol: each.start for each in self._outline.needed(index)}
        if not declared.items() <= known.items():
            raise ValueError("the shard refers to what is not there")
        return Piece(
            self._emitter.emit_ops([each.op for each in own]),
            ("", ""),
            {each.name: each.start for each in own if each.name},
            frozenset(self._outline.references(index)),
            declared,
            frozenset(e.name for e in own if e.name and self._header(e.op) != e.header),
            frozenset(each.op.name for each in own),
        )

    def _header(self, op: Operation) -> Any:
        """Return what others may look at: of a function what it says of itself, else all."""
        if isinstance(op, FuncOp):
            return _Header({**op.properties, **op.attributes})
        return self.adapter.fingerprint(op, recursive=True)


class _Own(NamedTuple):
    """An op of a shard, and what it was when it was parsed."""

    name: str | None
    op: Operation
    start: int
    header: Any


class _Header:
    """Attributes of a function; some that are made anew may be the same, others are compared."""

    def __init__(self, attributes: dict[str, Attribute]) -> None:
        self._attributes = attributes

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Header):
            return NotImplemented
        mine, others = self._attributes, other._attributes
        return mine.keys() == others.keys() and all(
            each is others[name] or (isinstance(each, _EQUATED) and each == others[name])
            for name, each in mine.items()
        )
