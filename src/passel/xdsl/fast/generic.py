"""Generic form with all it can hold, as text, in less time than xDSL's printer takes.

It is what records hold of an op, which is printed after each pass that changes it.
"""
# pyright: reportPrivateUsage=false
# Operands, and the chains of ops and blocks, are read without detour.

from __future__ import annotations

from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from xdsl.dialects.builtin import (
    FloatAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnregisteredOp,
)
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from passel.xdsl.fast.known import is_known_attribute
from passel.xdsl.locations import SourceLocation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

_MOST_TEXTS: Final = 50_000
"""How many attributes' texts are kept."""

_PLAIN: Final = frozenset({FloatAttr, IntegerAttr, StringAttr, SymbolRefAttr})
"""Classes of attributes whose parts are of known classes as well."""

_texts: dict[int, tuple[str, Attribute]] = {}
"""Texts of attributes by their addresses, with the attributes: no others are there as long."""


class UnknownAttributeError(Exception):
    """Raised for an attribute of a class whose printer may look at xDSL's."""


def generic_text(op: Operation, *, locations: bool) -> str | None:
    """Return an op as xDSL's printer prints it in generic form, without resources.

    None if it has an attribute whose text may depend on more than the attribute.
    """
    writer = _Writer(locations=locations)
    try:
        writer.write_op(op, "", "\n")
    except UnknownAttributeError:
        return None
    return "".join(writer.parts)


class _Writer:
    """Writes ops; see `Printer` for the rules by which values and blocks are named."""

    def __init__(self, *, locations: bool) -> None:
        self.parts: list[str] = []
        self._locations = locations
        self._values: dict[SSAValue, str] = {}
        self._blocks: dict[Block, str] = {}
        self._names: dict[str, int] = {}
        self._block_names: dict[str, int] = {}
        self._next_value = self._next_block = 0

    def write_op(self, op: Operation, start: str, newline: str) -> None:
        """Write an op after `start`; `newline` is how a line begins where it stands."""
        values, value = self._values, self._value
        results, operands = op.results, op._operands
        if results:
            start += ", ".join([value(each) for each in results]) + " = "
        outer, facts = None, _facts(type(op))
        if facts.is_isolated:
            outer = self._names, self._block_names, self._next_value, self._next_block
            self._names, self._block_names = self._names.copy(), self._block_names.copy()
        name, attributes = op.name, op.attributes
        if facts.is_unregistered:
            name = cast("UnregisteredOp", op).op_name.data
            attributes = {k: v for k, v in attributes.items() if k != "op_name__"}
        used = ", ".join([values.get(each) or value(each) for each in operands])
        text = f'{start}"{name}"({used})'
        if op.successors:
            text += f" [{', '.join(map(self._block, op.successors))}]"
        if op.properties:
            text += f" <{_dictionary(op.properties)}>"
        if op.regions:
            self.parts.append(text)
            self._write_regions(op.regions, newline)
            text = ""
        if attributes:
            text += f" {_dictionary(attributes)}"
        inputs = ", ".join([text_of(each._type) for each in operands])
        text += f" : ({inputs}) -> {_outputs(results)}"
        self.parts.append(f"{text} {text_of(op.location)}" if self._locations else text)
        if outer is not None:
            self._names, self._block_names, self._next_value, self._next_block = outer

    def _write_regions(self, regions: Sequence[Region], newline: str) -> None:
        start = " ("
        for region in regions:
            for index, block in enumerate(region.blocks):
                if block not in self._blocks:
                    self._blocks[block] = self._name_block(block, f"bb{index}")
            self.parts.append(f"{start}{{")
            block = region.first_block
            label = block is not None and (bool(block.args) or block.first_op is None)
            while block is not None:
                if label:
                    self.parts.append(f"{newline}{self._label(block)}")
                op, inner = block.first_op, f"{newline}  "
                while op is not None:
                    self.write_op(op, inner, inner)
                    op = op._next_op
                block, label = block.next_block, True
            self.parts.append(f"{newline}}}")
            start = ", "
        self.parts.append(")")

    def _label(self, block: Block) -> str:
        arguments: list[str] = []
        for each in block.args:
            text = f"{self._value(each)}: {text_of(each.type)}"
            arguments.append(f"{text} {text_of(each.location)}" if self._locations else text)
        return self._block(block) + (f"({', '.join(arguments)}):" if arguments else ":")

    def _value(self, value: SSAValue) -> str:
        name = self._values.get(value)
        if name is None:
            hint = value._name
            if hint:
                index = self._names.get(hint, 0)
                name = f"%{hint}_{index}" if index else f"%{hint}"
                self._names[hint] = index + 1
            else:
                name = f"%{self._next_value}"
                self._next_value += 1
            self._values[value] = name
        return name

    def _block(self, block: Block) -> str:
        name = self._blocks.get(block)
        if name is None:
            name = self._blocks[block] = self._name_block(block, "")
        return f"^{name}"

    def _name_block(self, block: Block, default: str) -> str:
        if hint := block.name_hint:
            index = self._block_names.get(hint, 0)
            self._block_names[hint] = index + 1
            return f"{hint}_{index}" if index else hint
        if default:
            return default
        self._next_block += 1
        return f"bb{self._next_block - 1}"


class _Facts(NamedTuple):
    """Facts about all ops of a class."""

    is_isolated: bool
    is_unregistered: bool


@cache
def _facts(kind: type[Operation]) -> _Facts:
    return _Facts(
        bool(kind.get_traits_of_type(IsolatedFromAbove)), issubclass(kind, UnregisteredOp)
    )


def _outputs(results: Sequence[SSAValue]) -> str:
    if len(results) == 1:
        type_ = results[0].type
        text = text_of(type_)
        return f"({text})" if type(type_) is FunctionType else text
    return f"({', '.join([text_of(each.type) for each in results])})"


def _dictionary(attributes: Mapping[str, Attribute]) -> str:
    entries = [
        _key(name) if type(each) is UnitAttr else f"{_key(name)} = {text_of(each)}"
        for name, each in attributes.items()
    ]
    return f"{{{', '.join(entries)}}}"


@cache
def _key(name: str) -> str:
    printer = Printer(stream := StringIO())
    printer.print_identifier_or_string_literal(name)
    return stream.getvalue()


def text_of(attribute: Attribute) -> str:
    """Return the text of an attribute, which nothing else can change.

    Raises:
        UnknownAttributeError: That is not known.
    """
    if (known := _texts.get(id(attribute))) is not None:
        return known[0]
    if type(attribute) is SourceLocation:
        line, column = attribute.source.line_and_column(attribute.offset)
        return f"loc({text_of(attribute.source.filename)}:{line}:{column})"
    if type(attribute) not in _PLAIN and not is_known_attribute(attribute):
        raise UnknownAttributeError
    printer = Printer(stream := StringIO())
    printer.print_attribute(attribute)
    text = stream.getvalue()
    if len(_texts) >= _MOST_TEXTS:
        _texts.clear()
    _texts[id(attribute)] = text, attribute
    return text
