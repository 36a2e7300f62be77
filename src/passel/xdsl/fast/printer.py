"""A printer that reuses the printed text of earlier ops as templates."""

from __future__ import annotations

# pyright: reportPrivateUsage=false
from io import StringIO
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, i1
from xdsl.ir import Block, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from passel.xdsl.fast.known import (
    VARIED,
    Types,
    has_known_format,
    is_known_attribute,
    is_xdsl_class,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeAlias

    from xdsl.ir import Attribute, Operation

    _Varied: TypeAlias = SSAValue | Block | str

_CREDIT: Final = 500
"""The number by which a class's new shapes may exceed known shapes before templates are stopped."""

_PLACEHOLDER: Final = "\0"
"""A placeholder for a varied part, which does not occur in the text of ops."""


class _Text(NamedTuple):
    """The text that all ops of the same shape share.

    Attributes:
        attributes: The attributes of the shape, which must stay alive since their addresses
            identify it.
        head: The text before the first varied part.
        rest: For each varied part, its index in the op, and the text after it.
    """

    attributes: Sequence[Attribute]
    head: str
    rest: Sequence[tuple[int, str]]


class TemplatePrinter(Printer):
    """xDSL's `Printer` with templates for ops of the same shape.

    Ops of the same shape have the same class, types and attributes, except for a symbol or integer
    (see `VARIED`). The varied parts of an op are its symbol or integer, and the names of its
    values and blocks. From the second op of each shape, the printer makes a template: the text of
    the op, with placeholders for the varied parts. For the second op and all later ops of the
    shape, the printer only inserts the varied parts into the template.

    xDSL's own code prints the first op of each shape, and all ops that have regions, diagnostics or
    printed locations. It also prints an op if another package defines the op's printer or
    attributes (see `passel.xdsl.fast.known`).
    """

    stream: IO[str] | None
    _marked: list[_Varied] | None = None
    """The varied parts that were printed as placeholders while the printer makes a template."""
    _symbol: str | None = None
    """The symbol or integer that is printed as a placeholder."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._texts: dict[Hashable, _Text | None] = {}
        self._types = Types()
        self._names: dict[int, str] = {}  # by address: xDSL hashes values in Python
        self._balances: dict[type[Operation], int] = {}

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Print a string, and update the printer's position in the output only if necessary."""
        if text == self._symbol:
            self._mark(text)
        elif self.stream is None or "\n" in text or self.diagnostic.op_messages:
            super().print_string(text, indent=indent)
        else:
            self.stream.write(text)

    def exit_scope(self) -> None:
        """Leave the scope of an isolated op, and forget the names of its values and blocks."""
        super().exit_scope()
        self._names.clear()

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of a value; while a template is made, print a placeholder instead."""
        return self._mark(value) or super().print_ssa_value(value)

    def print_block_name(self, block: Block) -> str:
        """Print the name of a block; while a template is made, print a placeholder instead."""
        return self._mark(block) or super().print_block_name(block)

    def _mark(self, varied: _Varied) -> str:
        """Print a placeholder if the printer makes a template, and return it."""
        if self._marked is None:
            return ""
        self._marked.append(varied)
        self.print_string(_PLACEHOLDER)
        return _PLACEHOLDER

    def print_op(self, op: Operation) -> None:
        """Print an op, using the template of its shape if there is one."""
        class_ = op.__class__
        balance = self._balances.get(class_)
        if balance is None:
            known = has_known_format(class_, generic=self.print_generic_format)
            is_own = is_xdsl_class(class_) or class_.name not in VARIED
            # An isolated op is a scope for names; unregistered ops claim to be isolated.
            is_scope = class_.has_trait(IsolatedFromAbove)
            balance = _CREDIT if known and is_own and not is_scope else 0
            self._balances[class_] = balance
        if not balance or op.regions or self.print_debuginfo or self.diagnostic.op_messages:
            super().print_op(op)
            return
        operands, results, successors = op._operands, op.results, op._successors
        properties, attributes = op.properties, op.attributes
        parts = [value._type for value in operands]
        parts += [value._type for value in results]
        varied = (*results, *operands, *successors)
        symbol = properties.get(VARIED.get(class_.name, ""))
        if symbol is not None and (spelling := _spelling(symbol)):
            parts += [value for value in properties.values() if value is not symbol]
            parts += [symbol.type] if type(symbol) is IntegerAttr else ()
            varied = (*varied, spelling)
        else:
            parts += properties.values()
        parts += attributes.values()
        counts = (len(varied), len(results), len(operands), len(successors), len(properties))
        key = (*map(id, parts), *properties, *attributes, *counts, class_)
        text = self._texts.get(key)
        if text is None:
            # Equal types may be different objects.
            count = len(operands) + len(results)
            shape = (*(id(self._types.first(each)) for each in parts[:count]), *key[count:])
            text = self._texts.get(shape)
            if text is None and shape in self._texts:
                text = self._learn(op, varied, parts)
            self._texts[shape] = self._texts[key] = text
        if text is None:
            self._balances[class_] = balance - 1
            super().print_op(op)
        else:
            self._balances[class_] = balance + 1
            self._fill(text, varied)

    def _learn(
        self, op: Operation, varied: Sequence[_Varied], parts: Sequence[Attribute]
    ) -> _Text | None:
        """Return the template of an op, or None if its text does not suit all ops of the shape."""
        if len(set(varied)) != len(varied) or not all(map(is_known_attribute, parts)):
            return None
        symbols = [each for each in varied if isinstance(each, str)]
        stream = self.stream
        self.stream, self._marked = text, marked = StringIO(), list["_Varied"]()
        self._symbol = symbols[0] if symbols else None
        try:
            super().print_op(op)
        finally:
            self.stream, self._marked, self._symbol = stream, None, None
        head, *rest = text.getvalue().split(_PLACEHOLDER)
        if (
            len(rest) != len(marked)
            or [each for each in marked if isinstance(each, str)] != symbols
            or "\n" in "".join((head, *rest))
        ):
            return None
        places = [varied.index(each) for each in marked]
        return _Text(parts, head, list(zip(places, rest, strict=True)))

    def _fill(self, text: _Text, varied: Sequence[_Varied]) -> None:
        """Print an op from the template of its shape."""
        names, line = self._names, text.head
        for place, following in text.rest:
            each = varied[place]
            name = each if type(each) is str else names.get(id(each))
            if name is not None:
                line += name + following
                continue
            if line:
                self.print_string(line)
            if isinstance(each, SSAValue):
                names[id(each)] = f"%{self.print_ssa_value(each)}"
            elif isinstance(each, Block):
                names[id(each)] = f"^{self.print_block_name(each)}"
            line = following
        self.print_string(line)


def _spelling(attribute: Attribute) -> str | None:
    """Return the digits of an integer or the name of a symbol as printed, or None if unusual."""
    if type(attribute) is IntegerAttr and attribute.type != i1:
        return str(attribute.value.data)
    if type(attribute) is SymbolRefAttr and not attribute.nested_references.data:
        name = attribute.root_reference.data
        return name if name.isidentifier() and name.isascii() else None
    return None
