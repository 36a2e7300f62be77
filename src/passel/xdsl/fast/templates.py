"""Ops as templates: an op that was parsed once, to be built again with other operands."""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import UNKNOWN_LOC, IntegerAttr
from xdsl.ir import Operation, OpResult, SSAValues
from xdsl.utils.exceptions import VerifyException

from passel.xdsl.fast.known import is_known_attribute, parts_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from xdsl.ir import Attribute, Block, SSAValue

_MAX_LENGTH: Final = 2_000
"""Longer lines hold constants that hardly come twice; their text need not be kept."""

_NAME: Final = r"(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"

# What the lexer skips, and then the rest of the line; the second group is its first token.
LINE: Final = re.compile(
    rf"""
    [ \t\n\r\f\v]*+(?://[^\n]*+[ \t\n\r\f\v]*+)*+
    ( ( % | [a-zA-Z_][a-zA-Z0-9_$.]*+ | "[^"\\\n\v\f]*+" | [^\n] ) [^\n]{{0,{_MAX_LENGTH}}}+ )
    (?=\n|\Z)
    """,
    re.VERBOSE | re.ASCII,
)

_split_at_values: Final = re.compile(rf"%({_NAME})", re.ASCII).split
_split_at_names: Final = re.compile(rf"([%^])({_NAME})", re.ASCII).split
_NUMBER: Final = re.compile(
    r"""(?<![\w$.%^@#!"-])-?(?:0|[1-9][0-9]*+)( : (?:index|[su]?i[0-9]++)(?![\w$.]))""", re.ASCII
)

_find_start: Final = re.compile(r"[^=]*+=[ \t\r\f\v]*+").match
_find_names: Final = re.compile(rf"[%^]({_NAME})", re.ASCII).finditer


class Shape(NamedTuple):
    """A shape, and the names of one line of it.

    Attributes:
        key: Equal for lines of one shape.
        names: In the order of the text, without `%` and `^`.
    """

    key: Hashable
    names: list[str]


def shape_of(line: str) -> Shape:
    """Return the shape of a line, which starts at a token.

    Example:
        >>> shape_of("%a = arith.addi %b, %b : i32").names
        ['a', 'b', 'b']
    """
    key: Hashable
    if "^" in line:
        parts = _split_at_names(line)
        names = parts[2::3]
        # Sigils are told from the text around them, and no line contains a line feed.
        key = ("\n".join(parts[::3]), "".join(parts[1::3]))
    else:
        parts = _split_at_values(line)
        names = parts[1::2]
        key = "\n".join(parts[::2])
    if len(set(names)) != len(names):
        key = (key, *map(names.index, names))
    return Shape(key, names)


def shape_without_number(line: str) -> tuple[Hashable, tuple[int, int]] | None:
    """Return the shape of a line with its integer, but not the type of that, left out.

    Also where the integer starts, and where its type ends.

    Returns:
        None if there is none, or more than one.

    Example:
        >>> shape_without_number("%a = arith.constant -12 : i32")[1]
        (20, 29)
    """
    spans = [match.span() for match in _NUMBER.finditer(line)]
    if len(spans) != 1:
        return None
    # No line that an op can be on contains a null character.
    return shape_of(_NUMBER.sub("\0\\1", line)).key, spans[0]


def op_start(line: str) -> int:
    """Return where the name of a line's op starts; -1 if that is not on the line."""
    if line[0] != "%":
        return 0
    match = _find_start(line)
    return -1 if match is None else match.end()


def name_spans(line: str) -> list[tuple[int, int]]:
    """Return where the names of a line start, with their `%` or `^`, and end."""
    return [match.span() for match in _find_names(line)]


def can_follow(head: str) -> bool:
    """Return whether a token after a line differs from all others by its first group in `LINE`.

    Of a name only the kind is known, but a parser can ask for no more.
    """
    return head in {"%", "^", "}"} or len(head) > 1 or (head.isascii() and head.isidentifier())


_FIELDS: Final = frozenset(each.name for each in fields(Operation))
"""Fields that every op has; some classes have more."""

_new_op: Final = Operation.__new__


class Number(NamedTuple):
    """Where an op keeps the integer of its line that is left out of the shape.

    Attributes:
        is_property: Whether it is a property; else it is an attribute.
        key: Its key.
        type: Its type.
    """

    is_property: bool
    key: str
    type: Any

    def attribute(self, spelling: str) -> IntegerAttr[Any] | None:
        """Return the attribute that is spelled so; None if it is not valid for its type."""
        try:
            return IntegerAttr(int(spelling.partition(" ")[0]), self.type)
        except (VerifyException, ValueError):
            return None


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
        op_name: The op's name as the text has it.
        number: The integer that is left out of the shape, if one is.
        followers: Heads of the next line with which ops of this shape were parsed.
        size: How many ops the context knew when the name was looked up last.
    """

    op_class: type[Operation]
    bound: int
    name_offset: int
    operands: tuple[tuple[int, Attribute], ...]
    successors: tuple[int, ...]
    result_types: tuple[Attribute, ...]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    op_name: str
    number: Number | None = None
    followers: set[str] = field(default_factory=set[str])
    size: int = -1

    def build(
        self,
        operands: Sequence[SSAValue[Any]],
        successors: Sequence[Block],
        number: Attribute | None,
    ) -> Operation:
        """Return a new op, detached, at an unknown location."""
        op = _new_op(self.op_class)
        op.operands = operands
        op.results = SSAValues(
            [OpResult(type_, op, index) for index, type_ in enumerate(self.result_types)]
        )
        op.properties = self.properties.copy()
        op.attributes = self.attributes.copy()
        op.location = UNKNOWN_LOC
        if successors:
            op.successors = successors
        if self.number is not None and number is not None:
            (op.properties if self.number.is_property else op.attributes)[self.number.key] = number
        return op

    @property
    def all_attributes(self) -> Iterable[Attribute]:
        """All types, properties and attributes."""
        yield from (type_ for _, type_ in self.operands)
        yield from self.result_types
        yield from self.properties.values()
        yield from self.attributes.values()

    def find_number(self, spelling: str) -> Number | None:
        """Return where the op keeps the one integer of its line.

        Returns:
            None if the op holds more than that integer, or does not hold it by itself.
        """
        held = [
            Number(entries is self.properties, key, cast("IntegerAttr[Any]", value).type)
            for entries in (self.properties, self.attributes)
            for key, value in entries.items()
            if isinstance(value, IntegerAttr)
        ]
        if len(held) != 1 or sum(map(_count_integers, self.all_attributes)) != 1:
            return None
        entries = self.properties if held[0].is_property else self.attributes
        return held[0] if held[0].attribute(spelling) == entries[held[0].key] else None


def _count_integers(attribute: Attribute) -> int:
    if isinstance(attribute, IntegerAttr):
        return 1
    return sum(map(_count_integers, parts_of(attribute)))


class Types:
    """Types of one source that are alike, each pair compared once."""

    def __init__(self) -> None:
        self._first: dict[tuple[type[Attribute], str], Attribute] = {}
        # With the types, whose addresses they are.
        self._alike: dict[tuple[int, int], tuple[Attribute, Attribute]] = {}

    def first(self, type_: Attribute) -> Attribute:
        """Return the first type that is like one of a known class."""
        return self._first.setdefault((type(type_), str(type_)), type_)

    def are_alike(self, one: Attribute, known: Attribute) -> bool:
        """Return whether a type is like another one, which is of a known class.

        Equality is not enough: some of xDSL's types are equal although they print differently.
        """
        if one is known:
            return True
        if one.__class__ is not known.__class__:
            return False
        pair = (id(one), id(known))
        if pair not in self._alike:
            if not is_known_attribute(one) or one != known or str(one) != str(known):
                return False
            self._alike[pair] = one, known
        return True


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
    op: Operation, names: Names, blocks: dict[int, int], op_name: str
) -> Template | None:
    """Return an op that was just parsed as a template.

    Args:
        op: The op, whose class is plain and whose parser is known.
        names: The names of its line.
        blocks: Which of the names each block has, by address.
        op_name: Its name as the text has it.

    Returns:
        The template; None if the op is not made of what a template holds, or holds attributes
        that are not known.
    """
    values = names.values
    if (
        op.regions
        or not vars(op).keys() <= _FIELDS
        or names.bound not in {0, len(op.results)}
        # Other names are part of an attribute's text.
        or len(names.names) - names.bound != len(op._operands) + len(op._successors)
        or not all(id(value) in values for value in op._operands)
        or not all(id(block) in blocks for block in op._successors)
    ):
        return None
    template = Template(
        op_class=type(op),
        bound=names.bound,
        name_offset=names.op_start - sum(map(len, names.names[: names.bound])),
        operands=tuple((values[id(value)], value._type) for value in op._operands),
        successors=tuple(blocks[id(block)] for block in op._successors),
        result_types=tuple(result._type for result in op.results),
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
        op_name=op_name,
    )
    return template if all(map(is_known_attribute, template.all_attributes)) else None
