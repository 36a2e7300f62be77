"""A printer that prints ops that are alike from the text of one of them."""

from __future__ import annotations

# pyright: reportPrivateUsage=false
from io import StringIO
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from xdsl.ir import Block
from xdsl.printer import Printer

from passel.xdsl.fast.known import has_known_printer, is_known_attribute

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue

_CREDIT: Final = 500
"""How many more ops of a class may have new shapes than known ones, before it is given up."""

_NAME: Final = "\0"
"""The place of a name in a text, which no text of an op contains."""


class _Text(NamedTuple):
    """The text of all ops of one shape.

    Attributes:
        attributes: The attributes of the shape, which keeps their addresses from being used again.
        head: The text before the first name.
        rest: For each name, the place of the value or block among the op's, and the text after it.
    """

    attributes: Sequence[Attribute]
    head: str
    rest: Sequence[tuple[int, str]]


class TemplatePrinter(Printer):
    """xDSL's `Printer`, which prints the second op of a shape with marks in the place of names.

    From then on only names are put in. Ops of one shape are of one class, and have the same
    attributes and types. The text and the names are the same; ops with regions, with a message or
    a location to print, and those whose printer or attributes are not known, are printed by
    xDSL's code (`passel.xdsl.fast.known`).
    """

    stream: IO[str] | None
    _marked: list[SSAValue | Block] | None = None
    """Values and blocks whose names are marks, while there are."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._texts: dict[Hashable, _Text | None] = {}
        self._names: dict[SSAValue | Block, str] = {}
        self._balances: dict[type[Operation], int] = {}

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of a value, or a mark."""
        marked = self._marked
        return super().print_ssa_value(value) if marked is None else self._mark(marked, value)

    def print_block_name(self, block: Block) -> str:
        """Print the name of a block, or a mark."""
        marked = self._marked
        return super().print_block_name(block) if marked is None else self._mark(marked, block)

    def _mark(self, marked: list[SSAValue | Block], named: SSAValue | Block) -> str:
        marked.append(named)
        self.print_string(_NAME)
        return _NAME

    def print_op(self, op: Operation) -> None:
        """Print an op."""
        class_ = op.__class__
        balance = self._balances.get(class_)
        if balance is None:
            known = has_known_printer(class_, generic=self.print_generic_format)
            self._balances[class_] = balance = _CREDIT if known else 0
        if not balance or op.regions or self.print_debuginfo or self.diagnostic.op_messages:
            super().print_op(op)
            return
        operands, results, successors = op._operands, op.results, op._successors
        properties, attributes = op.properties, op.attributes
        parts = [value._type for value in operands]
        parts += [value._type for value in results]
        parts += properties.values()
        parts += attributes.values()
        key = (
            *map(id, parts),
            *properties,
            len(properties),
            *attributes,
            len(results),
            len(operands),
            len(successors),
            class_,
        )
        named = (*results, *operands, *successors)
        text = self._texts.get(key)
        if text is None and key in self._texts:
            text = self._texts[key] = self._learn(op, named, parts)
        if text is None:
            self._texts[key] = None
            self._balances[class_] = balance - 1
            super().print_op(op)
        else:
            self._balances[class_] = balance + 1
            self._fill(text, named)

    def _learn(
        self, op: Operation, named: Sequence[SSAValue | Block], parts: Sequence[Attribute]
    ) -> _Text | None:
        """Return the text of an op; None if it is not one of all ops of the shape."""
        if len(set(named)) != len(named) or not all(map(is_known_attribute, parts)):
            return None
        stream = self.stream
        self.stream, self._marked = text, marked = StringIO(), list["SSAValue | Block"]()
        try:
            super().print_op(op)
        finally:
            self.stream, self._marked = stream, None
        head, *rest = text.getvalue().split(_NAME)
        places = [named.index(each) for each in marked]
        if len(rest) != len(places) or "\n" in "".join((head, *rest)):
            return None
        return _Text(parts, head, list(zip(places, rest, strict=True)))

    def _fill(self, text: _Text, named: Sequence[SSAValue | Block]) -> None:
        """Print an op from the text of its shape."""
        names, line = self._names, text.head
        for place, following in text.rest:
            each = named[place]
            name = names.get(each)
            if name is not None:
                line += name + following
                continue
            if line:
                self.print_string(line)
            if isinstance(each, Block):
                names[each] = f"^{self.print_block_name(each)}"
            else:
                names[each] = f"%{self.print_ssa_value(each)}"
            line = following
        self.print_string(line)
