"""Ops in the generic form of an op, line by line."""

from __future__ import annotations

import re
from functools import cached_property

from passel.record.texts import LOCATION, without_locations

_HEADER = re.compile(r'\s*(?:%[^=]*= )?"((?:[^"\\]|\\.)+)"\(')
_NAMES = re.compile(r'("(?:[^"\\]|\\.)*")|%[\w$.#:-]+|\^[\w$.-]+')
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":([1-9]\d*):(\d+)')
_TYPES = re.compile(r" : \(.*$")


class OpText:
    """An op in a text.

    Args:
        name: The op's name.
        text: Its text, without what is inside.
        first: The number of its first line, counted from 0.
        last: The number of its last line.
    """

    def __init__(self, name: str, text: str, first: int, last: int) -> None:
        self.name: str = name
        self.first: int = first
        self.last: int = last
        self._text = text

    @cached_property
    def location(self) -> str:
        """Its location as text; empty if it is unknown."""
        places = [match[0] for match in LOCATION.finditer(self._text) if match[1] is None]
        # The last is its own, those before are of block arguments.
        return "" if not places or places[-1] == " loc(unknown)" else places[-1].strip()

    @property
    def place(self) -> str:
        """The first place in a file that its location names: `in.mlir:3:5`; may be empty."""
        found = _PLACE.search(self.location)
        return ":".join(found.groups()) if found else ""

    @property
    def shape(self) -> str:
        """Its own text without names of values, and without its types."""
        return self._parts[0]

    @property
    def types(self) -> str:
        """Its types."""
        return self._parts[1]

    @cached_property
    def _parts(self) -> tuple[str, str]:
        own = _NAMES.sub(lambda match: match[1] or "%", without_locations(self._text)).strip()
        types = _TYPES.search(own)
        shape = own if types is None else own[: types.start()]
        return shape, own[len(shape) :]


def ops_in(text: str) -> list[OpText]:
    r"""Return the ops of a text in generic form, in the order of their first lines.

    Example:
        >>> text = '"t.f"() ({\n  %0 = "t.c"() : () -> i1 loc("a":2:1)\n}) : () -> () loc("a":1:1)'
        >>> [(op.name, op.place, op.first, op.last) for op in ops_in(text)]
        [('t.f', 'a:1:1', 0, 2), ('t.c', 'a:2:1', 1, 1)]
    """
    found: list[OpText | None] = []
    begun: list[tuple[int, int, str, str]] = []
    for number, line in enumerate(text.split("\n")):
        if (header := _HEADER.match(line)) is not None:
            if line.endswith("({"):
                begun.append((len(found), number, header[1], line))
                found.append(None)
            else:
                found.append(OpText(header[1], line, number, number))
        elif begun and line.lstrip().startswith("})"):
            index, first, name, start = begun.pop()
            found[index] = OpText(name, f"{start}{line.lstrip()}", first, number)
    return [op for op in found if op is not None]
