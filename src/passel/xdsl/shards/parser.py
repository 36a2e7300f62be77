"""A parser of one shard of a source."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Region
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.mlir_lexer import MLIRTokenKind

from passel.xdsl.fast import parser_class
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Block, Operation

    from passel.xdsl.shards.outline import Definition, Outline

_HEADER: Final = 200
"""Characters that the first line of a function counts for."""

_ALIASES: Final = (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT)


class ShardParser(SourceParser):
    """Parses shards, and declarations of what they refer to.

    Whatever is not as the outline has it is an error.

    Attributes:
        own: The ops of the shards, each with where it begins and the index of its shard.
        declared: The ops that stand for others of the source, which the shards refer to.
    """

    def set_shards(self, outline: Outline, indices: Sequence[int]) -> None:
        """Set what is parsed."""
        self.own: list[tuple[Operation, int, int]] = []
        self.declared: list[tuple[Operation, Definition]] = []
        self._is_declaring = False
        self._outline = outline
        self._indices = indices
        self._awaits_body = outline.has_module

    def parse_top_level(self) -> list[Operation]:
        """Parse the source, without the ops of other shards.

        Raises:
            ParseError: The source is not MLIR, or not as the outline has it.
        """
        if self._outline.has_module:
            ops = super().parse_top_level()
            if len(ops) != 1 or self._awaits_body:
                self._doubt()
            return ops
        while self._token.kind in _ALIASES:
            self.parse_alias()
        ops = self._parse_shards()
        if any(isinstance(op, ModuleOp) for op in ops):
            self._doubt()
        return ops

    def _parse_block_body(self, block: Block) -> None:
        if self._is_declaring:
            self._is_declaring = False
            self._skip_body()
        elif self._awaits_body:
            self._awaits_body = False
            block.add_ops(self._parse_shards())
        else:
            super()._parse_block_body(block)

    def _parse_shards(self) -> list[Operation]:
        """Parse declarations and the ops of the shards, and skip what comes after them."""
        outline = self._outline
        if self._token.start != outline.starts[0]:
            self._doubt()
        for definition in self._definitions():
            self._resume_at(definition.start)
            self.declared.append((self._parse_declaration(definition), definition))
        for index in self._indices:
            self._parse_shard(index)
        if outline.end is not None:
            self._resume_at(outline.end)
        elif self._token.kind is not MLIRTokenKind.EOF:
            self._resume_at(len(outline.text))
        return [op for op, *_ in (*self.declared, *self.own)]

    def _parse_shard(self, index: int) -> None:
        stop = self._outline.stop(index)
        self._resume_at(self._outline.starts[index])
        while stop is None or self._token.start < stop:
            start = self._token.start
            op = self.parse_optional_operation()
            if op is None:
                break
            if not prints_alone(op):
                self._doubt()
            self.own.append((op, start, index))
        is_end = self._token.kind is MLIRTokenKind.EOF
        arrived = is_end if stop is None else self._token.start == stop
        if not arrived or self.forward_ssa_references:
            self._doubt()

    def _definitions(self) -> list[Definition]:
        """Return what the shards refer to and others seem to define."""
        outline = self._outline
        needed = {each for index in self._indices for each in outline.needed(index)}
        own = set(self._indices)
        found = [each for each in needed if outline.index_at(each.start) not in own]
        costs = (_HEADER if d.op_name == FuncOp.name else d.end - d.start for d in found)
        if sum(costs) > outline.most_declared:
            self._doubt()
        return sorted(found)

    def _parse_declaration(self, definition: Definition) -> Operation:
        """Parse an op of another shard; a function without its body, as a declaration."""
        self._is_declaring = definition.op_name == FuncOp.name
        op = self.parse_operation()
        self._is_declaring = False
        if isinstance(op, FuncOp) and op.body.blocks:
            op.detach_region(op.body).erase()
            op.add_region(Region())
        return op

    def _skip_body(self) -> None:
        end = f"\n{self._outline.indent}}}"
        found = self._outline.text.find(end, self._token.start - len(end))
        if found < 0:
            self._doubt()
        self._resume_at(found + len(end) - 1)

    def _doubt(self) -> None:
        self.raise_error("the source is not as its layout has it")


def prints_alone(op: Operation) -> bool:
    """Return whether an op is printed as it is whatever came before, and leaves no names behind."""
    if op.results or op.operands or op.successors:
        return False
    return not op.regions or bool(op.get_traits_of_type(IsolatedFromAbove))


def shard_parser() -> type[ShardParser]:
    """Return the parser to use."""
    return _combined(parser_class())


@cache
def _combined(base: type[SourceParser]) -> type[ShardParser]:
    if base is SourceParser:
        return ShardParser
    return cast("type[ShardParser]", type("FastShardParser", (ShardParser, base), {}))
