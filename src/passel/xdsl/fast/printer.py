"""A printer that reuses the printed text of earlier ops as templates."""

from __future__ import annotations

# pyright: reportPrivateUsage=false
from io import StringIO
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Block
from xdsl.printer import Printer

from passel.xdsl.fast.known import has_known_printer, is_known_attribute, is_xdsl_class

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeAlias

    from xdsl.ir import Attribute, Operation, SSAValue

    _Named: TypeAlias = SSAValue | Block | SymbolRefAttr

_CREDIT: Final = 500
"""The number by which a class's new shapes may exceed known shapes before templates are stopped."""

_SYMBOLS: Final = {"func.call": "callee", "memref.get_global": "name"}
"""The properties of xDSL's ops that are printed only as the name of a symbol."""

_NAME: Final = "\0"
"""A placeholder for a name, which does not occur in the text of ops."""


class _Text(NamedTuple):
    """The text that all ops of the same shape share.

    Attributes:
        attributes: The attributes of the shape, which must stay alive since their addresses
            identify it.
        head: The text before the first name.
        rest: For each name, the index of its value, block or symbol in the op, and the text after
            it.
    """

    attributes: Sequence[Attribute]
    head: str
    rest: Sequence[tuple[int, str]]


class TemplatePrinter(Printer):
    """xDSL's `Printer` with templates for ops of the same shape.

    Ops of the same shape have the same class, types and attributes, except for a symbol's name. The
    printer prints the second op of a shape with placeholders for names. For later ops of the shape,
    the printer only inserts the names. xDSL's code prints ops with regions, diagnostics or printed
    locations, and ops whose printers or attributes are not known (see `passel.xdsl.fast.known`).
    """

    stream: IO[str] | None
    _marked: list[_Named] | None = None
    """The values, blocks and symbols that were printed as placeholders; None otherwise."""
    _symbol: SymbolRefAttr | None = None
    """The symbol whose name is a placeholder as well."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._texts: dict[Hashable, _Text | None] = {}
        self._names: dict[int, str] = {}  # by address: xDSL hashes values in Python
        self._symbols: dict[type[Operation], str] = {}
        self._balances: dict[type[Operation], int] = {}

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Print a text, and update the printer's position in the output only if necessary."""
        if self.stream is None or "\n" in text or self.diagnostic.op_messages:
            super().print_string(text, indent=indent)
        else:
            self.stream.write(text)

    def exit_scope(self) -> None:
        """Leave the scope of an isolated op, and forget the names of its values and blocks."""
        super().exit_scope()
        self._names.clear()

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of a value, or a placeholder while the printer is making a template."""
        return self._mark(value) or super().print_ssa_value(value)

    def print_block_name(self, block: Block) -> str:
        """Print the name of a block, or a placeholder while the printer is making a template."""
        return self._mark(block) or super().print_block_name(block)

    def print_symbol_name(self, sym_name: str) -> None:
        """Print the name of a symbol, or a placeholder while the printer is making a template."""
        symbol = self._symbol
        if symbol is None or symbol.root_reference.data != sym_name or not self._mark(symbol):
            super().print_symbol_name(sym_name)

    def _mark(self, named: _Named) -> str:
        """Print a placeholder if the printer makes a template, and return it."""
        if self._marked is None:
            return ""
        self._marked.append(named)
        self.print_string(_NAME)
        return _NAME

    def print_op(self, op: Operation) -> None:
        """Print an op, using the template for the op's shape if there is a template."""
        class_ = op.__class__
        balance = self._balances.get(class_)
        if balance is None:
            known = has_known_printer(class_, generic=self.print_generic_format)
            self._balances[class_] = balance = _CREDIT if known else 0
            if class_.name in _SYMBOLS and is_xdsl_class(class_):
                self._symbols[class_] = _SYMBOLS[class_.name]
        if not balance or op.regions or self.print_debuginfo or self.diagnostic.op_messages:
            super().print_op(op)
            return
        operands, results, successors = op._operands, op.results, op._successors
        properties, attributes = op.properties, op.attributes
        parts = [value._type for value in operands]
        parts += [value._type for value in results]
        named = (*results, *operands, *successors)
        symbol = properties.get(self._symbols[class_]) if class_ in self._symbols else None
        if isinstance(symbol, SymbolRefAttr) and not symbol.nested_references.data:
            parts += [value for value in properties.values() if value is not symbol]
            named = (*named, symbol)
        else:
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
        self, op: Operation, named: Sequence[_Named], parts: Sequence[Attribute]
    ) -> _Text | None:
        """Return the template of an op, or None if its text does not suit all ops of the shape."""
        if len(set(named)) != len(named) or not all(map(is_known_attribute, parts)):
            return None
        stream = self.stream
        self.stream, self._marked = text, marked = StringIO(), list["_Named"]()
        symbols = [each for each in named if isinstance(each, SymbolRefAttr)]
        self._symbol = symbols[0] if symbols else None
        try:
            super().print_op(op)
        finally:
            self.stream, self._marked = stream, None
        head, *rest = text.getvalue().split(_NAME)
        if (
            len(rest) != len(marked)
            or [each for each in marked if isinstance(each, SymbolRefAttr)] != symbols
            or "\n" in "".join((head, *rest))
        ):
            return None
        places = [named.index(each) for each in marked]
        return _Text(parts, head, list(zip(places, rest, strict=True)))

    def _fill(self, text: _Text, named: Sequence[_Named]) -> None:
        """Print an op from the template of its shape."""
        names, line = self._names, text.head
        for place, following in text.rest:
            each = named[place]
            name = names.get(id(each))
            if name is not None:
                line += name + following
                continue
            if line:
                self.print_string(line)
            if isinstance(each, SymbolRefAttr):
                self.print_symbol_name(each.root_reference.data)
            elif isinstance(each, Block):
                names[id(each)] = f"^{self.print_block_name(each)}"
            else:
                names[id(each)] = f"%{self.print_ssa_value(each)}"
            line = following
        self.print_string(line)
