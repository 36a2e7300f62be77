"""Compute the differences between two texts of IR."""

from __future__ import annotations

import re
from collections import ChainMap, Counter, defaultdict, deque
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, takewhile
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.instruments.terminals import styled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_COLOURS = {"@": "cyan", "-": "red", "+": "green"}

_HEAD = "--- before", "+++ after"
_CONTEXT = 3
"""The number of unchanged lines around a change in a unified diff."""

_MOST_PAIRS = 200_000
"""The number of pairs of equal lines from which frequent lines are ignored in matching."""

_NAME = re.compile(r'"(?:\\.|[^"\\])*"|([%^][\w$.\-]*)')
"""The name of a value or a block. Strings match as well, so that no names are found inside them."""

_START = re.compile(r'(\s*(?:(?:%[\w$.\-]*(?::\d+)?\s*,?\s*)+=)?)\s*"?([\w$.^}]*)')
"""The indentation and the results of an op, and its name or the first word of another line."""


class Block(NamedTuple):
    """A block of consecutive lines that differ between two texts of IR.

    Attributes:
        start: The index of the block's first line in the old text, counted from 0.
        end: The index of the line after the block in the old text.
        first: The index of the block's first line in the new text, counted from 0.
        last: The index of the line after the block in the new text.
        pairs: For each modified op, the index of its line in the old text and the index of its line
            in the new text, both counted from 0.
    """

    start: int
    end: int
    first: int
    last: int
    pairs: Sequence[tuple[int, int]]


def difference(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks of lines that differ between two texts of IR, in order.

    Lines count as equal if they differ only in the numbering of values and blocks. Lines with
    different indentation count as different, because their ops are in different regions.
    """
    before, after = _read(tuple(old)), _read(tuple(new))
    alike = list(_alike([line.key for line in before], [line.key for line in after]))
    kept: dict[_Definition | None, _Definition] = {}  # new definitions by old ones
    for i, j in [*alike, *_versions(before, after, list(_gaps(alike, len(old), len(new))))]:
        kept.update(((i, at), (j, at)) for at in before[i].defines & after[j].defines)
    arrived: set[_Definition | None] = {*kept.values()}

    def is_same(i: int, name: str, j: int, other: str) -> bool:
        """Return whether two names denote the same value.

        If neither value has a counterpart in the other text, the names must be equal.
        """
        old_one, new_one = before[i].scope.get(name), after[j].scope.get(other)
        if old_one in kept or new_one in arrived:
            return kept.get(old_one) == new_one
        return name == other

    def are_same(i: int, j: int) -> bool:
        pairs = zip(before[i].names, after[j].names, strict=True)
        return all(is_same(i, name, j, other) for name, other in pairs)

    same = ((i, j) for i, j in alike if are_same(i, j))
    for start, end, first, last in _gaps(same, len(old), len(new)):
        ops = ([line.op for line in side] for side in (before[start:end], after[first:last]))
        pairs = [(start + i, first + j) for i, j in _alike(*ops)]
        yield Block(start, end, first, last, pairs)


def unified_diff(before: str, after: str) -> str:
    r"""Return a unified diff of two texts of IR, or an empty string if all lines are equal.

    If `difference` counts two lines as equal, the diff contains the line from `after`.

    Example:
        >>> before = "%0 = a.a\n%1 = a.b\nuse %1\n"
        >>> print(unified_diff(before, "%0 = a.b\nuse %0\n"), end="")
        --- before
        +++ after
        @@ -1,3 +1,2 @@
        -%0 = a.a
         %0 = a.b
         use %0
    """
    old, new = before.splitlines(), after.splitlines()
    hunks: list[list[Block]] = []
    for block in difference(old, new):
        if hunks and block.start - hunks[-1][-1].end <= 2 * _CONTEXT:
            hunks[-1].append(block)
        else:
            hunks.append([block])
    lines = [*_HEAD] if hunks else []
    for hunk in hunks:
        lines += _hunk_lines(hunk, old, new)
    return "".join(f"{line}\n" for line in lines)


def _hunk_lines(hunk: Sequence[Block], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the lines of one hunk of a unified diff, with the unchanged lines around it."""
    above = min(_CONTEXT, hunk[0].start)
    below = min(_CONTEXT, len(old) - hunk[-1].end)
    at = hunk[0].first - above
    was = _range(hunk[0].start - above, hunk[-1].end + below)
    yield f"@@ -{was} +{_range(at, hunk[-1].last + below)} @@"
    for start, end, first, last, _ in hunk:
        yield from (f" {line}" for line in new[at:first])
        yield from (f"-{line}" for line in old[start:end])
        yield from (f"+{line}" for line in new[first:last])
        at = last
    yield from (f" {line}" for line in new[at : at + below])


def _range(start: int, end: int) -> str:
    """Return a range of lines as in the header of a hunk; an empty one is after the line before."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


def coloured(diff: str) -> str:
    r"""Return a unified diff with ANSI colors.

    Example:
        >>> coloured("+x\n")
        '\x1b[32m+x\x1b[0m\n'
    """
    return "".join(
        styled(line, "bold" if line.startswith(_HEAD) else _COLOURS.get(line[0], ""))
        for line in diff.splitlines(keepends=True)
    )


# -- Lines -----------------------------------------------------------------------------------

_Definition: TypeAlias = tuple[int, int]
"""The definition of a value or a block: a line, and the index of the name in it."""


class _Line(NamedTuple):
    """A line of a text.

    Attributes:
        key: The line without numbers of values and blocks.
        head: The beginning of the line up to the name of an op, without the numbers.
        op: The name of the op, or the first word of another line.
        names: The names of values and blocks.
        defines: The indices of the names that are definitions.
        scope: The definitions in the enclosing regions, and in the region that the line begins.
    """

    key: str
    head: str
    op: str
    names: Sequence[str]
    defines: set[int]
    scope: Mapping[str, _Definition]


@lru_cache(maxsize=2)  # the text after one pass is the text before the next
def _read(lines: Sequence[str]) -> list[_Line]:
    """Return lines with their names.

    Definitions are results, labels of blocks, and new names in a label or on a line that begins a
    region: arguments of functions and blocks, and values that a loop carries.
    """
    scope = ChainMap[str, _Definition]()
    found: list[_Line] = []
    for number, text in enumerate(lines):
        masked = _NAME.sub(_unnumbered, text)
        key = masked.strip()
        start = _START.match(masked)
        assert start is not None  # noqa: S101 - all in it is optional
        names = [name[0] for name in _NAME.finditer(text) if name[1]]
        if key.startswith("}") and scope.maps[1:]:
            scope = scope.parents
        outer, begins, is_block = scope, key.endswith("{"), key.startswith("^")
        if begins:
            scope = scope.new_child()
        defines: set[int] = set()
        for place, name in enumerate(names):
            is_result, is_label = place < start[1].count("%"), is_block and not place
            may_be_new = (begins or is_block) and name[0] == "%"
            if is_result or is_label or (may_be_new and name not in scope):
                (outer if is_result else scope)[name] = number, place
                defines.add(place)
        found.append(_Line(masked, start[0], start[2], names, defines, scope))
    return found


def _unnumbered(name: re.Match[str]) -> str:
    """Return a name without the numbers that printers add, or a string."""
    return name[1].rstrip("_0123456789") if name[1] else name[0]


# -- Matching --------------------------------------------------------------------------------


_VERSIONS: Sequence[Callable[[_Line, int], object]] = (
    lambda line, _: line.key.strip(),  # has moved
    lambda line, gap: (gap, line.head),  # has other operands, in the same gap
)


def _versions(
    before: Sequence[_Line], after: Sequence[_Line], gaps: Sequence[tuple[int, int, int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of lines in the gaps between equal lines whose ops are the same in order."""
    removed = [(i, gap) for gap, (i, end, _, _) in enumerate(gaps) for i in range(i, end)]
    added = [(j, gap) for gap, (_, _, j, end) in enumerate(gaps) for j in range(j, end)]
    for key in _VERSIONS:
        there: defaultdict[object, deque[int]] = defaultdict(deque)
        for j, gap in added:
            there[key(after[j], gap)].append(j)
        pairs = {i: new.popleft() for i, gap in removed if (new := there[key(before[i], gap)])}
        yield from pairs.items()
        arrived = {*pairs.values()}
        removed = [each for each in removed if each[0] not in pairs]
        added = [each for each in added if each[0] not in arrived]


def _alike(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal items of `old` and `new`, in order.

    If only some of several equal items were removed or added, these are the last ones.
    """
    start = _shared(old, new)
    end = min(_shared(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    inner, other = old[start : len(old) - end], new[start : len(new) - end]
    times = Counter(other)
    is_costly = sum(times[each] for each in inner) > _MOST_PAIRS
    matcher = SequenceMatcher(None, inner, other, autojunk=is_costly)
    yield from ((n, n) for n in range(start))
    at = to = 0  # behind the last block
    for i, j, size in matcher.get_matching_blocks():
        slid = 0
        if to == j:
            slid = min(_shared(inner[at:], inner[i:]), size)
        elif at == i:
            slid = min(_shared(other[to:], other[j:]), size)
        yield from ((start + at + n, start + to + n) for n in range(slid))
        yield from ((start + i + n, start + j + n) for n in range(slid, size))
        at, to = i + size, j + size
    yield from ((len(old) - n, len(new) - n) for n in range(end, 0, -1))


def _shared(old: Iterable[str], new: Iterable[str]) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _gaps(
    matched: Iterable[tuple[int, int]], old: int, new: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the gaps between matched lines of two texts of these lengths."""
    i = j = 0
    for at, to in chain(matched, [(old, new)]):
        if at > i or to > j:
            yield i, at, j, to
        i, j = at + 1, to + 1
