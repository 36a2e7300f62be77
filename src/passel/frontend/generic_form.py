"""Trees of ops in MLIR's generic form, for any IR that prints and parses this form.

Value names are unique in the whole tree, even across isolated regions, so that ops can be moved.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SYMBOL = re.compile(r'\bsym_name = "((?:[^"\\]|\\.)*)"')
_REFERENCE = re.compile(r'@"?([\w.$-]+)')
_SPACE = re.compile(r"(?:\s+|//[^\n]*)*")
_NAME = re.compile(r"%[\w$.-]+(?:#\d+)?")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LABEL = re.compile(r"\^[\w$.-]+")
_COUNT = re.compile(r":(\d+)")
_PIECE = re.compile(
    r'"(?:[^"\\]|\\.)*"|->|>=|[(\[{<]|[)\]}>]|[,\n]|[^"()\[\]{}<>,\n>-]+|.', re.DOTALL
)


_OPENERS = frozenset("([{<")
_CLOSERS = frozenset(")]}>")


class GenericSyntaxError(ValueError):
    """The error for a text that is not in MLIR's generic form."""


class Value(NamedTuple):
    """An SSA value: a name such as `%0`, and a type."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(slots=True)
class Block:
    """A block with a label, arguments and ops."""

    label: str
    args: list[Value] = field(default_factory=list[Value])
    ops: list[Op] = field(default_factory=list["Op"])


@dataclass(slots=True)
class Op:
    """An op in MLIR's generic form.

    Attributes:
        number: A number that identifies the op in the tree and in all copies of the tree.
        name: The name of the op.
        results: The results of the op.
        operands: The operands of the op.
        successors: The labels of the successor blocks.
        properties: The entries of the property dictionary, such as `value = 1 : i32`.
        regions: The regions of the op, each a list of blocks.
        attributes: The entries of the attribute dictionary.
    """

    number: int
    name: str
    results: list[Value] = field(default_factory=list[Value])
    operands: list[Value] = field(default_factory=list[Value])
    successors: list[str] = field(default_factory=list[str])
    properties: list[str] = field(default_factory=list[str])
    regions: list[list[Block]] = field(default_factory=list[list[Block]])
    attributes: list[str] = field(default_factory=list[str])

    def copy(self) -> Op:
        """Return a deep copy of the op."""
        regions = [
            [Block(b.label, b.args[:], [op.copy() for op in b.ops]) for b in region]
            for region in self.regions
        ]
        lists = self.results[:], self.operands[:], self.successors[:], self.properties[:]
        return Op(self.number, self.name, *lists, regions, self.attributes[:])

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of all regions of the op."""
        yield from itertools.chain.from_iterable(self.regions)

    def walk(self) -> Iterator[Op]:
        """Yield the op and all nested ops, in program order."""
        yield self
        for block in self.blocks():
            for op in block.ops:
                yield from op.walk()

    def entry(self, key: str) -> str | None:
        """Return the value of the property or attribute `key`, or None if the op has neither."""
        entries = (each.partition(" = ") for each in (*self.properties, *self.attributes))
        return next((value for name, _, value in entries if name == key), None)

    def complexity(self) -> int:
        """Return the total number of ops, blocks, values and successors in the op's tree."""
        ops = [*self.walk()]
        values = [each for op in ops for each in (op.results, op.operands, op.successors)]
        blocks = [block.args for op in ops for block in op.blocks()]
        return len(ops) + len(blocks) + sum(map(len, [*values, *blocks]))

    def __str__(self) -> str:
        return "".join(_pieces(self, 0))


def _pieces(op: Op, depth: int) -> Iterator[str]:
    indent = "  " * depth
    yield indent
    if op.results:
        yield f"{', '.join(_names(op.results))} = "
    yield f'"{op.name}"({", ".join(_names(op.operands))})'
    if op.successors:
        yield f"[{', '.join(op.successors)}]"
    if op.properties:
        yield f" <{{{', '.join(op.properties)}}}>"
    for index, region in enumerate(op.regions):
        yield ", {\n" if index else " ({\n"
        for block in region:
            yield _header(block, indent)
            for each in block.ops:
                yield from _pieces(each, depth + 1)
                yield "\n"
        yield f"{indent}}}"
    if op.regions:
        yield ")"
    if op.attributes:
        yield f" {{{', '.join(op.attributes)}}}"
    results = ", ".join(types(op.results))
    if len(op.results) != 1 or "->" in results:
        results = f"({results})"
    yield f" : ({', '.join(types(op.operands))}) -> {results}"


def _header(block: Block, indent: str) -> str:
    """Return the header line of a block, or an empty string for a block that needs no header."""
    if block.args:
        return f"{indent}{block.label or '^entry'}({', '.join(map(str, block.args))}):\n"
    return f"{indent}{block.label}:\n" if block.label else ""


def types(values: Iterable[Value]) -> list[str]:
    """Return the types of SSA values, in the order of the values."""
    return [value.type for value in values]


def _names(values: Iterable[Value]) -> list[str]:
    return [value.name for value in values]


def symbol_in(text: str) -> str | None:
    """Return the symbol name in the first line of an op, or None if the line has none."""
    found = _SYMBOL.search(text.partition("\n")[0])
    return found[1] if found else None


def references_in(entry: str) -> list[str]:
    """Return the names of the symbols to which the text of an attribute refers."""
    return _REFERENCE.findall(entry)


def parse_generic(text: str) -> Op:
    """Parse the text of an op in generic form.

    Raises:
        GenericSyntaxError: If the text is not in generic form.
    """
    parser = _Parser(text)
    op = parser.op()
    parser.end()
    _rename(op, {}, itertools.count())
    return op


def _rename(op: Op, outer: Mapping[str, str], numbers: Iterator[int]) -> None:
    """Give unique names to all values defined inside an op."""
    for region in op.regions:
        inner = dict(outer)

        def renamed(values: list[Value], inner: dict[str, str] = inner) -> list[Value]:
            inner.update((value.name, f"%{next(numbers)}") for value in values)
            return [Value(inner[name], type_) for name, type_ in values]

        for block in region:
            block.args = renamed(block.args)
            for each in block.ops:
                each.results = renamed(each.results)
        for block in region:
            for each in block.ops:
                each.operands = [Value(inner.get(name, name), t) for name, t in each.operands]
                _rename(each, inner, numbers)


class _Parser:
    """A parser of the generic form.

    Args:
        text: The text of an op.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._numbers = itertools.count()
        self._skip()

    def end(self) -> None:
        """Raise an error unless the whole text has been parsed."""
        if self._at < len(self._text):
            raise self._error("the end")

    def op(self) -> Op:
        """Parse an op with all nested ops."""
        op = Op(next(self._numbers), "")
        results = self._results()
        op.name = self._expect(_STRING)[1]
        self._expect("(")
        operands = self._entries(")")
        if self._take("["):
            op.successors = self._entries("]")
        if self._take("<{"):
            op.properties = self._entries("}")
            self._expect(">")
        if self._take("({"):
            op.regions = [self._region()]
            while self._take(","):
                self._expect("{")
                op.regions.append(self._region())
            self._expect(")")
        if self._take("{"):
            op.attributes = self._entries("}")
        self._expect(":")
        self._expect("(")
        op.operands = self._typed(operands, self._entries(")"))
        self._expect("->")
        found = self._entries(")") if self._take("(") else self._entries("\n")
        op.results = self._typed(results, found)
        return op

    def _typed(self, names: list[str], found: list[str]) -> list[Value]:
        if len(names) != len(found):
            raise self._error(f"{len(names)} types")
        return [*map(Value, names, found)]

    def _results(self) -> list[str]:
        """Parse the names of results: `%a:2` is `%a#0, %a#1`."""
        names: list[str] = []
        while name := self._take(_NAME):
            count = self._take(_COUNT)
            names += [f"{name[0]}#{n}" for n in range(int(count[1]))] if count else [name[0]]
            if not self._take(","):
                self._expect("=")
        return names

    def _region(self) -> list[Block]:
        """Parse a region after its opening brace."""
        blocks: list[Block] = []
        while not self._take("}"):
            if label := self._take(_LABEL):
                args = self._entries(")") if self._take("(") else []
                self._expect(":")
                parted = [arg.partition(":") for arg in args]
                values = [Value(name.strip(), type_.strip()) for name, _, type_ in parted]
                blocks.append(Block(label[0], values))
            elif not blocks:
                blocks.append(Block(""))
            else:
                blocks[-1].ops.append(self.op())
        return blocks

    def _entries(self, closer: str) -> list[str]:
        """Parse comma-separated entries up to a closing bracket or the end of the line."""
        entries, depth, start = list[str](), 0, self._at
        while piece := _PIECE.match(self._text, self._at):
            text, place = piece[0], self._at
            self._at = piece.end()
            if depth == 0 and text in (",", closer):
                entries.append(self._text[start:place].strip())
                start = self._at
                if text == closer:
                    break
            depth += (text in _OPENERS) - (text in _CLOSERS)
            if depth < 0:
                raise self._error(f"'{closer}'")
        else:
            entries.append(self._text[start:].strip())
        self._skip()
        return [each for each in entries if each]

    def _expect(self, what: str | re.Pattern[str]) -> re.Match[str]:
        if found := self._take(what):
            return found
        raise self._error(f"'{what}'" if isinstance(what, str) else "a name")

    def _take(self, what: str | re.Pattern[str]) -> re.Match[str] | None:
        pattern = re.compile(re.escape(what)) if isinstance(what, str) else what
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
            self._skip()
        return found

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _error(self, expected: str) -> GenericSyntaxError:
        line = self._text.count("\n", 0, self._at) + 1
        return GenericSyntaxError(f"line {line}: expected {expected}")
