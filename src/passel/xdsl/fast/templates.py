"""Templates for building ops of the same shape with different operands."""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xdsl.dialects.builtin import IndexType, IntAttr, StringAttr
from xdsl.ir import Attribute, Operation, OpResult, SSAValues

from passel.xdsl.lexer import NAME

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import SSAValue

_MAX_LENGTH: Final = 2_000
"""The maximum length of a line. Longer lines contain constants that rarely occur twice."""

# What the lexer skips, and then the rest of the line. The second group is its first token if it is
# a word, a string or a brace, and the sigil of a value's or block's name.
LINE: Final = re.compile(
    rf"""
    [ \t\n\r\f\v]*+(?://[^\n]*+[ \t\n\r\f\v]*+)*+
    ( ( % | [a-zA-Z_][a-zA-Z0-9_$.]*+ | "[^"\\\n\v\f]*+" | [\^}}] | (?=[^\n]) )
      [^\n]{{0,{_MAX_LENGTH}}}+ )
    (?=\n|\Z)
    """,
    re.VERBOSE | re.ASCII,
)

FUNCTION_HEAD: Final = re.compile(
    rf"""
    func\.func [ ] ((?:private|public|nested)[ ])?+ @([a-zA-Z_][\w$.]*+)
    ( \( (?: %{NAME}:[ ][^()%^"#{{}}@/=\n]+ )*+ \) (?: [ ]->[ ][^%^"#{{}}@/=\n]+ )? )
    [ ] (?= \{{ [ \t]*+ \n )
    """,
    re.ASCII | re.VERBOSE,
)
"""The head of a function as printers write it: visibility, name and type. The only attributes in
such a line are types."""

_split_at_values: Final = re.compile(rf"%({NAME})", re.ASCII).split
_split_at_names: Final = re.compile(rf"([%^])({NAME})", re.ASCII).split
_match_varied: Final = re.compile(
    rf"""
    (?: %{NAME} [ ]=[ ] )?
    (?: (?:(?:func\.)?call|memref\.get_global|arith\.constant) [ ]
      | "(?:func\.call|memref\.get_global|arith\.constant)" \([^()]*\) [ ]
        <\{{ (?:callee|name|value) [ ]=[ ] )
    ( @[a-zA-Z_][\w$.]*+ (?!::)
    | -?(?:0|[1-9][0-9]*+) ([ ]:[ ](?:index|[su]?i[0-9]++)(?![\w$.])) )
    """,
    re.ASCII | re.VERBOSE,
).match
"""Matches a line up to the symbol or integer of an op in `VARIED`, in both forms of an op."""

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


def without_varied(line: str) -> tuple[str, str]:
    """Return a line without the symbol or integer of an op in `VARIED`, and that part.

    The type of an integer stays in the line. If no op in `VARIED` is on the line, the part is an
    empty string.

    Example:
        >>> without_varied("%a = arith.constant -12 : i32")[1]
        '-12 : i32'
    """
    match = _match_varied(line)
    if match is None:
        return line, ""
    # No line that an op can be on contains a null character.
    return f"{line[: match.start(1)]}\0{match[2] or ''}{line[match.end() :]}", match[1]


class LineParts(NamedTuple):
    """The parts of a line.

    Attributes:
        text: The line.
        start: The offset of the op name in the line, or 0 if the line has no op name.
        key: The shape of the line without `spelling`; see `shape_of`.
        names: The names of values and blocks in the line.
        spelling: The symbol or integer that the shape leaves out; see `without_varied`.
    """

    text: str
    start: int
    key: Hashable
    names: list[str]
    spelling: str


@lru_cache(maxsize=4_000)  # of half a kilobyte each
def parts_of_line(line: str) -> LineParts:
    """Return the parts of a line. The same line often comes again in other functions."""
    bare, spelling = without_varied(line)
    start = before.end() if line[0] == "%" and (before := _find_start(line)) else 0
    return LineParts(line, start, *shape_of(bare), spelling)


def name_spans(line: str) -> list[tuple[int, int]]:
    """Return the spans of the names in a line, including the sigils `%` and `^`."""
    return [match.span() for match in _find_names(line)]


_new_op: Final = Operation.__new__
_new_attribute: Final[Any] = Attribute.__new__


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
        varied: The name of the property whose symbol or integer is not part of the shape, if any.
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
    varied: str | None = None
    followers: set[str] = field(default_factory=set[str])

    def build(
        self, operands: Sequence[SSAValue[Any]], filling: Attribute | None, location: LocationAttr
    ) -> Operation:
        """Create a detached op without successors from the template."""
        op = _new_op(self.op_class)
        if operands:
            op.operands = operands
        op.results = SSAValues(
            [OpResult(type_, op, index) for index, type_ in enumerate(self.result_types)]
        )
        op.properties = self.properties.copy()
        op.attributes = self.attributes.copy()
        op.location = location
        if self.varied is not None and filling is not None:
            op.properties[self.varied] = filling
        return op

    def filling(self, spelling: str) -> Attribute | None:
        """Return the varied property that a text denotes, or None if an integer is out of range."""
        known = self.properties[self.varied or ""]
        first: Any = known
        if spelling[0] == "@":
            part = {"root_reference": StringAttr(spelling[1:])}
        else:
            value: Any = int(spelling.partition(" ")[0])
            if not isinstance(first.type, IndexType):
                value = first.type.normalized_value(value)
            if value is None:
                return None
            part = {"value": IntAttr(value)}
        # Copied from one that is valid: to verify it again would take most of the time.
        copy: Attribute = _new_attribute(type(known))
        for name, value in {**vars(known), **part}.items():
            object.__setattr__(copy, name, value)  # `vars(copy)` would double its size
        return copy
