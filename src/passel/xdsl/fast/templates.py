"""Ops as templates: an op that was parsed once, to be built again with other operands."""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Operation, OpResult, SSAValues
from xdsl.utils.exceptions import VerifyException

from passel.xdsl.fast.known import is_known_attribute, parts_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from xdsl.ir import Attribute, Block, SSAValue

_MAX_LENGTH: Final = 2_000
"""Longer lines hold constants that hardly come twice; their text need not be kept."""

NAME: Final = r"(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"

# What the lexer skips, and then the rest of the line; the second group is its first token.
LINE: Final = re.compile(
    rf"""
    [ \t\n\r\f\v]*+(?://[^\n]*+[ \t\n\r\f\v]*+)*+
    ( ( % | [a-zA-Z_][a-zA-Z0-9_$.]*+ | "[^"\\\n\v\f]*+" | [^\n] ) [^\n]{{0,{_MAX_LENGTH}}}+ )
    (?=\n|\Z)
    """,
    re.VERBOSE | re.ASCII,
)

_split_at_values: Final = re.compile(rf"%({NAME})", re.ASCII).split
_split_at_names: Final = re.compile(rf"([%^])({NAME})", re.ASCII).split
_DIFFERING: Final = re.compile(
    r"""
      (?<![\w$.%^@#!"-]) -?(?:0|[1-9][0-9]*+) ([ ]:[ ](?:index|[su]?i[0-9]++)(?![\w$.]))
    | (@)[a-zA-Z_][\w$.]*+
    """,
    re.ASCII | re.VERBOSE,
)
"""The difference between lines that are otherwise alike: a typed integer, or a symbol's name."""

_find_start: Final = re.compile(r"[^=]*+=[ \t\r\f\v]*+").match
_find_names: Final = re.compile(rf"[%^]({NAME})", re.ASCII).finditer


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


def shape_with_hole(line: str) -> tuple[Hashable, str] | None:
    """Return the shape of a line without its integer or symbol, and that, with its type.

    Returns:
        None if there is none, or more than one.

    Example:
        >>> shape_with_hole("%a = arith.constant -12 : i32")[1]
        '-12 : i32'
    """
    found = list(_DIFFERING.finditer(line))
    if len(found) != 1:
        return None
    spelling, type_, sigil = found[0].group(0, 1, 2)
    start, end = found[0].span()
    # No line that an op can be on contains a null character.
    return shape_of(f"{line[:start]}{type_ or sigil}\0{line[end:]}").key, spelling


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

_NOT_NESTED: Final = ArrayAttr[StringAttr](())

_new_op: Final = Operation.__new__


class Hole(NamedTuple):
    """Where an op keeps the integer or symbol of its line that is left out of the shape.

    Attributes:
        is_property: Whether it is a property; else it is an attribute.
        key: Its key.
        type: The integer's type; None for a symbol.
    """

    is_property: bool
    key: str
    type: Any

    def attribute(self, spelling: str) -> Attribute | None:
        """Return the attribute that is spelled so; None if it is not valid for its type."""
        if self.type is None:
            return SymbolRefAttr(spelling[1:], _NOT_NESTED)
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
        operands: For each operand which of the names it is, and its type.
        successors: For each successor which of the names it is.
        result_types: The results' types.
        properties: The op's properties.
        attributes: The op's attributes.
        parts: All types, properties and attributes.
        hole: What is left out of the shape, if something is.
        followers: Heads of the next line with which ops of this shape were parsed.
    """

    op_class: type[Operation]
    bound: int
    operands: tuple[tuple[int, Attribute], ...]
    successors: tuple[int, ...]
    result_types: tuple[Attribute, ...]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    parts: Sequence[Attribute]
    hole: Hole | None = None
    followers: set[str] = field(default_factory=set[str])

    def build(
        self,
        operands: Sequence[SSAValue[Any]],
        successors: Sequence[Block],
        filling: Attribute | None,
    ) -> Operation:
        """Return a new op, detached, at an unknown location."""
        op = _new_op(self.op_class)
        if operands:
            op.operands = operands
        op.results = SSAValues(
            [OpResult(type_, op, index) for index, type_ in enumerate(self.result_types)]
        )
        op.properties = self.properties.copy()
        op.attributes = self.attributes.copy()
        op.location = UNKNOWN_LOC
        if successors:
            op.successors = successors
        if self.hole is not None and filling is not None:
            (op.properties if self.hole.is_property else op.attributes)[self.hole.key] = filling
        return op

    def find_hole(self, spelling: str) -> Hole | None:
        """Return where the op keeps the one integer or symbol of its line.

        Returns:
            None if the op holds more than that one, or does not hold it by itself.
        """
        is_symbol = spelling[0] == "@"
        kind = cast("type[Attribute]", SymbolRefAttr if is_symbol else IntegerAttr)
        basic = StringAttr if is_symbol else kind
        held = [
            (Hole(entries is self.properties, key, getattr(value, "type", None)), value)
            for entries in (self.properties, self.attributes)
            for key, value in entries.items()
            if isinstance(value, kind)
        ]
        if len(held) != 1 or sum(_count(basic, each) for each in self.parts) != 1:
            return None
        hole, value = held[0]
        return hole if hole.attribute(spelling) == value else None


def _count(kind: type[Attribute], attribute: Attribute) -> int:
    if isinstance(attribute, kind):
        return 1
    return sum(_count(kind, part) for part in parts_of(attribute))


class Types:
    """Types of one source, of which those that are alike are compared once."""

    def __init__(self) -> None:
        self._by_text: dict[tuple[type[Attribute], str], Attribute] = {}
        # With the types, whose addresses they are.
        self._by_address: dict[int, tuple[Attribute, Attribute]] = {}

    def first(self, type_: Attribute) -> Attribute:
        """Return the first type like this one; itself if its class is not known.

        Equality is not enough: some of xDSL's types are equal although they print differently.
        """
        found = self._by_address.get(id(type_))
        if found is None:
            first = type_
            if is_known_attribute(type_):
                first = self._by_text.setdefault((type(type_), str(type_)), type_)
            found = self._by_address[id(type_)] = type_, first if first == type_ else type_
        return found[1]


def to_template(
    op: Operation, names: list[str], bound: int, used: dict[int, int]
) -> Template | None:
    """Return an op that was just parsed as a template.

    Args:
        op: The op, whose class is plain and whose parser is known.
        names: The names of its line.
        bound: How many of them, the first, name results.
        used: Which of the others each value or block has, by address.

    Returns:
        The template; None if the op is not made of what a template holds, or holds attributes
        that are not known.
    """
    named = (*op._operands, *op._successors)
    if (
        op.regions
        or not vars(op).keys() <= _FIELDS
        or bound not in {0, len(op.results)}
        # Other names are part of an attribute's text.
        or len(names) - bound != len(named)
        or not all(id(each) in used for each in named)
    ):
        return None
    values = (*op._operands, *op.results)
    parts = [each._type for each in values] + [*op.properties.values(), *op.attributes.values()]
    if not all(map(is_known_attribute, parts)):
        return None
    return Template(
        op_class=type(op),
        bound=bound,
        operands=tuple((used[id(value)], value._type) for value in op._operands),
        successors=tuple(used[id(block)] for block in op._successors),
        result_types=tuple(result._type for result in op.results),
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
        parts=parts,
    )
