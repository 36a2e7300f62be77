"""The shape of a line: its text without the names of values and blocks.

Two lines of one shape consist of the same tokens but for these names, and the names are
equal to each other at the same places.
"""

import re
from collections.abc import Hashable
from typing import Final, NamedTuple

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
