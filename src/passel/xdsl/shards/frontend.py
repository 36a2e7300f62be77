"""Reading and printing one shard as if it were a source of its own."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import ParseError

from passel.ir.frontend import Frontend, Parsed, UnreadableError
from passel.xdsl.parsing import parse_source
from passel.xdsl.shards.parser import ShardParser, shard_parser
from passel.xdsl.shards.pieces import Piece
from passel.xdsl.symbols import symbol_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation

    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import SourcePart
    from passel.xdsl.shards.outline import Outline
    from passel.xdsl.targets import Emitter

_EQUATED = (FunctionType, StringAttr)
"""Attributes whose equality is known to be right."""


class ShardFrontend(Frontend):
    """Frontend of one shard; what it emits is a `Piece`, pickled.

    Args:
        base: The frontend of the whole.
        emitter: What prints MLIR.
        outline: How the source is cut.
        index: Which shard it is.
    """

    def __init__(self, base: Frontend, emitter: Emitter, outline: Outline, index: int) -> None:
        super().__init__(base.adapter)
        self.configure(base.settings)
        self._base = base
        self._emitter = emitter
        self._outline = outline
        self._index = index

    def new_context(self) -> Context:
        """Return a context like that of the whole."""
        return self._base.new_context()

    def parse(
        self, part: SourcePart, context: Context, warn: Callable[[Diagnostic], None]
    ) -> Parsed:
        """Parse the shard, in what encloses it."""
        parsers: list[ShardParser] = []

        def make(*arguments: Any) -> ShardParser:
            parser = shard_parser()(*arguments)
            parser.set_shard(self._outline, self._index)
            parsers.append(parser)
            return parser

        try:
            op = parse_source(context, part.text, part.name, make_parser=make)
        except ParseError as error:
            raise UnreadableError([]) from error
        (self._parser,) = parsers
        self._children = self.adapter.children(op)
        self._module = self.adapter.fingerprint(op, recursive=False)
        self._headers = [self._header(each) for each, _ in self._parser.own]
        self._names = [symbol_name(each) for each, _ in self._parser.own]
        return Parsed(op)

    def emit(self, parsed: Parsed, context: Context) -> bytes:
        """Return what `join` takes.

        Raises:
            ValueError: The ops cannot be printed without those of other shards.
        """
        module, own = parsed.op, self._parser.own
        ops, names = [op for op, _ in own], self._names
        symbols = {name: start for name, (_, start) in zip(names, own, strict=True) if name}
        if (
            self.adapter.fingerprint(module, recursive=False) != self._module
            or self.adapter.children(module) != self._children
            or [symbol_name(op) for op in ops] != names
            or len(symbols) != sum(map(bool, names))
        ):
            raise ValueError("the shard is not what is there in the source")
        body = self._emitter.emit_ops(ops)
        shell = self._emitter.emit_shell(module, context)
        compared = zip(names, ops, self._headers, strict=True)
        piece = Piece(
            body,
            shell,
            symbols,
            frozenset(self._outline.references(self._index)),
            {each.symbol: each.start for _, each in self._parser.declared},
            frozenset(n for n, op, header in compared if n and self._header(op) != header),
        )
        return pickle.dumps(piece, pickle.HIGHEST_PROTOCOL)

    def _header(self, op: Operation) -> Any:
        """Return what others may look at: of a function what it says of itself, else all."""
        if isinstance(op, FuncOp):
            return _Header({**op.properties, **op.attributes})
        return self.adapter.fingerprint(op, recursive=True)


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
