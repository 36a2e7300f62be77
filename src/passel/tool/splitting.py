"""Cutting an input file into the parts between its markers.

Source: `mlir::splitAndProcessBuffer`, MLIR 22: a plain search for the marker, with a warning
where one was nearly written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Location, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHECKED_TAIL = 2
"""How many of the marker's last characters may be missing for a near miss."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of the input.

    Attributes:
        text: Its text; of a whole input also MLIR bytecode.
        line_offset: How many lines of the file come before it.
        column: Where it begins on its line, counted from 1; 0 if it is the first.
    """

    text: Any
    line_offset: int
    column: int = 0

    def location(self, offset: int, name: str) -> Location:
        """Return where in the input a character of the part stands."""
        before = self.text[:offset].split("\n")
        return Location(name, self.line_offset + len(before), len(before[-1]) + 1)


def split_input(
    text: str, marker: str, filename: str, warn: Callable[[Diagnostic], None]
) -> Iterator[Chunk]:
    """Yield the parts between markers; the whole text if the marker is empty."""
    if not marker:
        yield Chunk(text, 0)
        return
    prefix, tail = marker[:-_CHECKED_TAIL] or marker, marker[-_CHECKED_TAIL:]
    start = position = line = 0
    while (found := text.find(prefix, position)) >= 0:
        after = found + len(prefix)
        position = after + len(tail)
        if text.startswith(tail, after) and position < len(text):
            yield _chunk(text, start, found, line)
            line += text.count("\n", start, position)
            start = position
        else:
            position = after
            if text[found : found + len(marker)].rstrip() != marker:
                warn(_near_miss(text, after, filename))
    yield _chunk(text, start, len(text), line)


def _chunk(text: str, start: int, end: int, line: int) -> Chunk:
    """Return a part such that what follows a marker on its line keeps its column."""
    before = start - (text.rfind("\n", 0, start) + 1)
    part = text[start:end]
    is_inside = part.partition("\n")[0].strip()
    return Chunk(" " * before + part if is_inside else part, line, before + 1 if start else 0)


def _near_miss(text: str, offset: int, filename: str) -> Diagnostic:
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    location = Location(filename, line, column)
    return Diagnostic(Severity.WARNING, "near miss with file split marker", location)
