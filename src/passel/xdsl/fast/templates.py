"""Ops as templates: an op that was parsed once, to be built again with other operands."""
# pyright: reportPrivateUsage=false
# Builds ops as `Operation.create` does, field by field; `assumptions` checks that it still does.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, cast

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Block, Operation, OpResult, SSAValue, SSAValues, Use

from passel.xdsl.locations import SourceLocation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.dialects.builtin import IntegerAttr
    from xdsl.ir import Attribute

_OP_FIELDS: Final = frozenset(
    {
        *("_operands", "_operand_uses", "results", "properties", "attributes", "location"),
        *("_successors", "_successor_uses", "regions", "parent", "_next_op", "_prev_op"),
    }
)
_RESULT_FIELDS: Final = frozenset({"_type", "op", "index", "_name", "first_use"})

_new_op: Final = Operation.__new__


@dataclass(slots=True, eq=False)
class Template:
    """The common parts of all ops of one shape.

    Attributes:
        op_class: The op's class.
        bound: How many results get a name; theirs are the first names of the line.
        name_offset: Where the op's name starts, the names of the results left out.
        operands: For each operand which of the names it is, and its type.
        successors: For each successor which of the names it is.
        result_types: The results' types.
        properties: The op's properties.
        attributes: The op's attributes.
        numbers: For each number of the line that is left out of the shape: whether it is a
            property or an attribute, its key there, and its type.
        op_name: The op's name as the text has it.
        registered: What the context says the name stands for.
        followers: Heads of the next line with which ops of this shape were parsed.
        size: How many ops the context knew when it was asked last.
    """

    op_class: type[Operation]
    bound: int
    name_offset: int
    operands: tuple[tuple[int, Attribute], ...]
    successors: tuple[int, ...]
    result_types: tuple[Attribute, ...]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    numbers: tuple[tuple[bool, str, Any], ...] = ()
    op_name: str = ""
    registered: type[Operation] = Operation
    followers: set[str] = field(default_factory=set[str])
    size: int = -1

    def find_operands(
        self, names: list[str], values: Mapping[str, tuple[SSAValue[Any], ...]]
    ) -> list[SSAValue[Any]] | None:
        """Return the operands that the names stand for; None if one is not as in the template."""
        operands: list[SSAValue[Any]] = []
        for at, expected in self.operands:
            found = values.get(names[at])
            if not found:
                return None
            value = found[0]
            if value._type is not expected and not same_attribute(value._type, expected):
                return None
            operands.append(value)
        return operands

    def build(self, operands: Sequence[SSAValue[Any]], successors: Sequence[Block]) -> Operation:
        """Return a new op, detached, at an unknown location."""
        op = _new_op(self.op_class)
        op._operands = SSAValues(operands)
        op._operand_uses = _add_uses(op, operands)
        op.results = SSAValues(
            [OpResult(type_, op, index) for index, type_ in enumerate(self.result_types)]
        )
        op.properties = self.properties.copy()
        op.attributes = self.attributes.copy()
        op.location = UNKNOWN_LOC
        op._successors = tuple(successors)
        op._successor_uses = _add_uses(op, successors)
        op.regions = ()
        return op

    def find_number(self, number: Attribute) -> tuple[bool, str, Any] | None:
        """Return where the op keeps a number, if it does so at one place."""
        found = [
            (entries is self.properties, key, cast("IntegerAttr", number).type)
            for entries in (self.properties, self.attributes)
            for key, value in entries.items()
            if value is number
        ]
        return found[0] if len(found) == 1 else None

    def put_numbers(self, op: Operation | Self, numbers: Iterable[Attribute]) -> None:
        """Have an op made from this template, or one like it, keep other numbers."""
        for (is_property, key, _), number in zip(self.numbers, numbers, strict=True):
            (op.properties if is_property else op.attributes)[key] = number

    def get_numbers(self, op: Operation | Self) -> list[Attribute | None]:
        """Return the numbers that an op keeps where the template does."""
        return [
            (op.properties if is_property else op.attributes).get(key)
            for is_property, key, _ in self.numbers
        ]

    def has_operands_as(self, other: Template) -> bool:
        """Return whether the operands of another op of the shape have the same types."""
        pairs = zip(self.operands, other.operands, strict=False)
        return all(same_attribute(one[1], another[1]) for one, another in pairs)

    def agrees(self, other: Template) -> bool:
        """Return whether another op of the shape gave the same template."""
        return (
            self.op_class is other.op_class
            and self.bound == other.bound
            and self.name_offset == other.name_offset
            and self.successors == other.successors
            and [each[0] for each in self.operands] == [each[0] for each in other.operands]
            and list(self.properties) == list(other.properties)
            and list(self.attributes) == list(other.attributes)
            and all(map(same_attribute, self._all_attributes(), other._all_attributes()))
            and len(self.result_types) == len(other.result_types)
        )

    def _all_attributes(self) -> Iterable[Attribute]:
        return (
            *(type_ for _, type_ in self.operands),
            *self.result_types,
            *self.properties.values(),
            *self.attributes.values(),
        )


def _add_uses(op: Operation, used: Sequence[SSAValue[Any] | Block]) -> tuple[Use, ...]:
    if not used:
        return ()
    uses: list[Use] = []
    for index, each in enumerate(used):
        former = each.first_use
        use = Use(op, index, None, former)
        if former is not None:
            former._prev_use = use
        each.first_use = use
        uses.append(use)
    return tuple(uses)


def same_attribute(one: Attribute, other: Attribute) -> bool:
    """Return whether two attributes are the same.

    Some of xDSL's are equal although they print differently.
    """
    return one is other or (
        one.__class__ is other.__class__ and one == other and str(one) == str(other)
    )


def append(block: Block, op: Operation) -> None:
    """Do as `block.add_op(op)` does to an op that is new."""
    last = block._last_op
    op.parent = block
    if last is None:
        block._first_op = op
    else:
        last._next_op = op
        op._prev_op = last
        op._next_op = None
    block._last_op = op


class Names(NamedTuple):
    """The names of a line, and what they stood for before it was parsed.

    Attributes:
        names: All of them.
        bound: How many of them, the first, name results.
        op_start: Where the op's name starts in the line.
        values: Which of the others each value has, by address.
        blocks: Which of them name blocks.
    """

    names: list[str]
    bound: int
    op_start: int
    values: dict[int, int]
    blocks: list[int]


def to_template(
    op: Operation, names: Names, blocks: dict[int, int], location: int | None
) -> Template | None:
    """Return an op that was just parsed as a template.

    Args:
        op: The op, which has names for its results and is in no block yet.
        names: The names of its line.
        blocks: Which of the names each block has, by address.
        location: The offset at which the op is located; None if nowhere.

    Returns:
        The template; None if the op is not made of what a template holds.
    """
    values = names.values
    if (
        op.regions
        or not _has_only_fields(op)
        or op.parent is not None
        or not _is_located(op, location)
        or names.bound not in {0, len(op.results)}
        or not all(_is_plain(result, names) for result in op.results)
        or not all(id(value) in values for value in op._operands)
        or not all(id(block) in blocks for block in op._successors)
    ):
        return None
    return Template(
        op_class=type(op),
        bound=names.bound,
        name_offset=names.op_start - sum(map(len, names.names[: names.bound])),
        operands=tuple((values[id(value)], value._type) for value in op._operands),
        successors=tuple(blocks[id(block)] for block in op._successors),
        result_types=tuple(result._type for result in op.results),
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
    )


def _is_located(op: Operation, location: int | None) -> bool:
    if location is None:
        return op.location is UNKNOWN_LOC
    return isinstance(op.location, SourceLocation) and op.location.offset == location


def _is_plain(result: OpResult[Any], names: Names) -> bool:
    name = names.names[result.index] if names.bound else None
    return (
        type(cast("object", result)) is OpResult
        and vars(result).keys() <= _RESULT_FIELDS
        and result._name == hint_of(name)
        and result.first_use is None
    )


def _has_only_fields(op: Operation) -> bool:
    """Return whether an op consists of the fields that all ops have."""
    return (
        vars(op).keys() <= _OP_FIELDS
        and not any(vars(each).get("__slots__") for each in type(op).__mro__)
        and all(type(each) is dict for each in (op.properties, op.attributes))
        and all(type(each) is SSAValues for each in (op._operands, op.results))
    )


def hint_of(name: str | None) -> str | None:
    """Return the hint that the parser gives to a value of a name in the text.

    Example:
        >>> hint_of("sum_1"), hint_of("1")
        ('sum', None)
    """
    return SSAValue.extract_valid_name(name) if SSAValue.is_valid_name(name) else None
