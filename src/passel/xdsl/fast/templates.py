"""Templates for building ops of the same shape with different operands."""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    IndexType,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation, OpResult, SSAValues

from passel.xdsl.fast.known import is_known_attribute, parts_of
from passel.xdsl.lexer import NAME

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from xdsl.ir import Block, SSAValue

_MAX_LENGTH: Final = 2_000
"""The maximum length of a line. Longer lines contain constants that rarely occur twice."""

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
"""The part that the shape of a line may leave out: a typed integer, or the name of a symbol."""

_find_start: Final = re.compile(r"[^=]*+=[ \t\r\f\v]*+").match
_find_names: Final = re.compile(rf"[%^]({NAME})", re.ASCII).finditer


def shape_of(line: str) -> tuple[Hashable, list[str]]:
    """Return a hashable key for a line's shape, and the line's names without `%` and `^`.

    Two lines have the same shape if a one-to-one renaming of values and blocks makes them equal.
    The line must start with a token.

    Example:
        >>> shape_of("%a = arith.addi %b, %b : i32")[1]
        ['a', 'b', 'b']
    """
    # The split at values alone is faster, and its parts do not include the sigils.
    parts, step = (_split_at_names(line), 3) if "^" in line else (_split_at_values(line), 2)
    names = parts[step - 1 :: step]
    del parts[step - 1 :: step]
    key: Hashable = "\n".join(parts)  # no line contains a line feed
    if len(set(names)) != len(names):
        key = (key, *map(names.index, names))
    return key, names


def shape_with_hole(line: str) -> tuple[Hashable, str] | None:
    """Return the shape of a line without its typed integer or symbol, and the text left out.

    Returns:
        The shape and the text of the integer or symbol, or None if the line does not contain
        exactly one typed integer or symbol.

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
    return shape_of(f"{line[:start]}{type_ or sigil}\0{line[end:]}")[0], spelling


def op_start(line: str) -> int:
    """Return the offset of the op name in a line, or -1 if the line has no op name."""
    if line[0] != "%":
        return 0
    match = _find_start(line)
    return -1 if match is None else match.end()


def name_spans(line: str) -> list[tuple[int, int]]:
    """Return the spans of the names in a line, including the sigils `%` and `^`."""
    return [match.span() for match in _find_names(line)]


def can_follow(head: str) -> bool:
    """Return whether `head`, the start of a line, identifies the first token of the line.

    If the line starts with a value or a block, `head` only has to contain the sigil `%` or `^`.
    """
    return head in {"%", "^", "}"} or len(head) > 1 or (head.isascii() and head.isidentifier())


_FIELDS: Final = frozenset(each.name for each in fields(Operation))
"""The fields of every op."""

_new_op: Final = Operation.__new__
_new_attribute: Final[Any] = Attribute.__new__


class Hole(NamedTuple):
    """The property or attribute whose integer or symbol is not part of the shape of an op.

    Attributes:
        is_property: Whether the integer or symbol is in a property rather than an attribute.
        key: The name of the property or attribute.
        first: The integer or symbol of the op from which the template was made.
    """

    is_property: bool
    key: str
    first: IntegerAttr[Any] | SymbolRefAttr

    def attribute(self, spelling: str) -> Attribute | None:
        """Return the attribute that a text denotes, or None for an integer that is out of range."""
        if isinstance(self.first, SymbolRefAttr):
            part = {"root_reference": StringAttr(spelling[1:])}
        else:
            kind: Any = self.first.type
            value: Any = int(spelling.partition(" ")[0])
            if not isinstance(kind, IndexType) and (value := kind.normalized_value(value)) is None:
                return None
            part = {"value": IntAttr(value)}
        # Copied from one that is valid: to verify it again would take most of the time.
        copy: Attribute = _new_attribute(type(self.first))
        vars(copy).update(vars(self.first), **part)
        return copy


@dataclass(slots=True, eq=False)
class Template:
    """The parts that all ops of the same shape share.

    Attributes:
        op_class: The class of the ops.
        bound: The number of named results, whose names are the first names in the line.
        operands: For each operand, the index of its name among the names in the line, and its type.
        successors: For each successor, the index of its name among the names in the line.
        result_types: The types of the results.
        properties: The properties of the ops.
        attributes: The attributes of the ops.
        parts: All types, properties and attributes of the ops.
        hole: The property or attribute whose integer or symbol is not part of the shape. None means
            that the shape includes all properties and attributes.
        followers: The first tokens, such as op names, of the lines that followed ops of this shape.
            For a value name, only `%` is stored.
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
        """Create a detached op from the template, with an unknown location."""
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
        """Find the property or attribute whose integer or symbol is not part of the shape.

        Returns:
            The hole, or None if the op contains several integers or symbols, or if the only integer
            or symbol is nested in another attribute.
        """
        is_symbol = spelling[0] == "@"
        kind = cast("type[Attribute]", SymbolRefAttr if is_symbol else IntegerAttr)
        basic = StringAttr if is_symbol else kind
        held = [
            Hole(entries is self.properties, key, cast("Any", value))
            for entries in (self.properties, self.attributes)
            for key, value in entries.items()
            if isinstance(value, kind)
        ]
        if len(held) != 1 or sum(_count(basic, each) for each in self.parts) != 1:
            return None
        hole = held[0]
        return hole if hole.attribute(spelling) == hole.first else None


def _count(kind: type[Attribute], attribute: Attribute) -> int:
    if isinstance(attribute, kind):
        return 1
    return sum(_count(kind, part) for part in parts_of(attribute))


class Types:
    """The types in a source, with one object for each distinct type."""

    def __init__(self) -> None:
        self._by_text: dict[tuple[type[Attribute], str], Attribute] = {}
        # With the types, whose addresses they are.
        self._by_address: dict[int, tuple[Attribute, Attribute]] = {}

    def first(self, type_: Attribute) -> Attribute:
        """Return the first type so far that equals `type_`.

        If the class of `type_` is not xDSL's, the result is `type_` itself. Equal types share one
        object only if they also print alike, since some of xDSL's types are equal but print
        differently.
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
    """Make a template from an op that was just parsed.

    Args:
        op: The op. `has_known_parser` must return True for the class of the op.
        names: The names of values and blocks in the line.
        bound: The number of result names at the start of the line.
        used: A mapping from the address of each operand and successor to the index of its name in
            `names`.

    Returns:
        The template. The result is None if a template cannot represent the op, or if another
        package defines a type or attribute of the op.
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
