"""Facts about MLIR's bytecode that can be read without making ops of it.

Source: `docs/BytecodeFormat.md` and `BuiltinDialectBytecode.td`, MLIR 22. Numbers in there are
the same for all versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"ML\xefR"
"""How bytecode begins."""

_ATTRIBUTES, _OFFSETS, _RESOURCES = 2, 3, 6
"""Numbers of sections; the last one lists resources."""

_NO_RESOURCES = b"\1"
"""No groups of resources but those of dialects, of which there are none."""

_DISTINCT = 21
"""The number of `DistinctAttr` among the attributes of the builtin dialect."""

_DISTINCT_BYTE = bytes([2 * _DISTINCT + 1])
_ODD = bytes(range(1, 256, 2))
_DISTINCT_TEXT = b"distinct["


def lost_in(data: bytes) -> str:
    """Return which part of some bytecode would be another one when it is read; empty for none.

    Reading makes new distinct attributes, and resources with new names.
    """
    sections = {number: (start, end) for number, start, end in _sections(data)}
    start, end = sections.get(_RESOURCES, (0, 0))
    if data[start:end] not in (b"", _NO_RESOURCES):
        return "resources"
    start, end = sections[_ATTRIBUTES]
    if data.find(_DISTINCT_TEXT, start, end) >= 0:
        return "distinct attributes"
    # Most have no such byte, which takes no time to see.
    if data.find(_DISTINCT_BYTE, start, end) >= 0 and _has_distinct(data, sections):
        return "distinct attributes"
    return ""


def _has_distinct(data: bytes, sections: dict[int, tuple[int, int]]) -> bool:
    """Return whether attributes with a form of their own begin with the number of distinct ones.

    Other dialects may have so many that it is the number of another one: that is taken for one.
    """
    place = sections[_ATTRIBUTES][0]
    at = sections[_OFFSETS][0]
    attributes, at = _number(data, at)
    _, at = _number(data, at)
    seen = 0
    while seen < attributes:
        _, at = _number(data, at)
        count, at = _number(data, at)
        seen += count
        sizes = data[at : at + count]
        if not sizes.translate(None, _ODD):  # each is one byte, as most often
            at += count
            for size in sizes:
                if size & 2 and data[place] == _DISTINCT_BYTE[0]:
                    return True
                place += size >> 2
            continue
        for _ in range(count):
            size, at = _number(data, at)
            if size & 1 and data.startswith(_DISTINCT_BYTE, place):
                return True
            place += size >> 1
    return False


def _sections(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each section, and where its contents begin and end."""
    _, at = _number(data, len(MAGIC))
    at = data.index(0, at) + 1
    while at < len(data):
        head = data[at]
        length, at = _number(data, at + 1)
        if head & 0x80:
            alignment, at = _number(data, at)
            at += -at % alignment
        yield head & 0x7F, at, at + length
        at += length


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place, and the place behind it.

    The zeros below the lowest one of the first byte are as many as there are further bytes.
    """
    first = data[at]
    if first & 1:
        return first >> 1, at + 1
    if not first:
        return int.from_bytes(data[at + 1 : at + 9], "little"), at + 9
    size = (first & -first).bit_length()
    return int.from_bytes(data[at : at + size], "little") >> size, at + size
