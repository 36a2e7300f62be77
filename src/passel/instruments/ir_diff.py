"""Diffs of the IR before and after a pass."""

from __future__ import annotations

import re
from collections import ChainMap, Counter, defaultdict, deque
from difflib import SequenceMatcher
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from passel.instruments.terminals import styled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_COLOURS = {"@": "cyan", "-": "red", "+": "green"}

_CONTEXT = 3

_MOST_PAIRS = 5_000_000
"""Pairs of equal lines up to which texts are matched by lines that occur often as well."""

_NAME = re.compile(r'"(?:\\.|[^"\\])*"|([%^][\w$.\-]*?)(?:_?\d+)?(?![\w$.\-])')
"""The name of a value or a block: what is given to it, and a number that printers count.

Strings match as well, so that names in them are none.
"""

_HEAD = re.compile(r'\s*(?:%[\w$.\-]*(?::\d+)?\s*,?\s*)*=?\s*"?[\w$.^]+')

_RESULTS = re.compile(r"\s*(?:%[\w$.\-]+(?::\d+)?\s*,?\s*)+=")


def unified_diff(before: str, after: str) -> str:
    r"""Return the difference of two texts as a unified diff, or an empty string.

    A line in which only the numbers of values and blocks are others is the same, if they stand
    for the same ones: its text is that of `after`.

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
    # The lines of `new`, and those of `old`: the same number, or one that no other line has.
    numbers = range(len(new))
    matched = dict(_matched(old, new))
    ours = [matched.get(at, -1 - at) for at in range(len(old))]
    matcher = SequenceMatcher(None, ours, numbers, autojunk=False)
    lines: list[str] = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        (_, a, _, c, _), (_, _, b, _, d) = group[0], group[-1]
        lines.append(f"@@ -{_range(a, b)} +{_range(c, d)} @@")
        for kind, i, j, k, m in group:
            if kind == "equal":
                lines += [f" {line}" for line in new[k:m]]
            else:
                lines += [f"-{line}" for line in old[i:j]]
                lines += [f"+{line}" for line in new[k:m]]
    head = ["--- before", "+++ after"] if lines else []
    return "".join(f"{line}\n" for line in head + lines)


def _matched(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines that are the same, but for numbers of the same values and blocks."""
    numbers = count()
    before, after = _names_in(old, numbers), _names_in(new, numbers)
    masked = _masked(old), _masked(new)
    alike = _alike(*masked)
    kept: dict[int | None, int] = {}  # definitions in the new text, by those in the old
    for i, j in [*alike.items(), *_versions(*masked, alike).items()]:
        theirs = after[j].defined
        kept.update((n, theirs[at]) for at, n in before[i].defined.items() if at in theirs)
    arrived: set[int | None] = {*kept.values()}

    def is_same(i: int, name: str, j: int, other: str) -> bool:
        """Return whether two names are of one value, or one name of ops that are others."""
        old_one, new_one = before[i].scope.get(name), after[j].scope.get(other)
        if old_one in kept or new_one in arrived:
            return kept.get(old_one) == new_one
        return name == other

    for i, j in alike.items():
        pairs = zip(before[i].names, after[j].names, strict=True)
        if all(is_same(i, name, j, other) for name, other in pairs):
            yield i, j


def _versions(old: Sequence[str], new: Sequence[str], alike: Mapping[int, int]) -> dict[int, int]:
    """Return the lines of ops that are the same, but stand elsewhere or have other operands.

    The latter are between the same lines as before, and have the same name and results.
    """
    removed = list(_between(len(old), alike))
    added = list(_between(len(new), {j: j for j in alike.values()}))
    moved = _paired(
        ((i, old[i].strip()) for i, _ in removed), ((j, new[j].strip()) for j, _ in added)
    )
    arrived = {*moved.values()}
    return moved | _paired(
        ((i, (hole, _head(old[i]))) for i, hole in removed if i not in moved),
        ((j, (hole, _head(new[j]))) for j, hole in added if j not in arrived),
    )


def _between(count: int, known: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield those of some lines that are not known, each with the last one before that is."""
    last = -1
    for number in range(count):
        if number in known:
            last = known[number]
        else:
            yield number, last


def _paired(
    ours: Iterable[tuple[int, object]], theirs: Iterable[tuple[int, object]]
) -> dict[int, int]:
    """Return the lines with equal keys, in order."""
    there: defaultdict[object, deque[int]] = defaultdict(deque)
    for number, key in theirs:
        there[key].append(number)
    return {number: there[key].popleft() for number, key in ours if there[key]}


def _head(line: str) -> str:
    """Return the results of an op and its name, or what a line begins with otherwise."""
    found = _HEAD.match(line)
    return found[0] if found else ""


class _Names(NamedTuple):
    """Names of values and blocks in a line.

    Attributes:
        names: The names.
        scope: The definitions in the regions around the line, and in that which it begins.
        defined: By their place among the names, the definitions in the line.
    """

    names: Sequence[str]
    scope: Mapping[str, int]
    defined: Mapping[int, int]


def _names_in(lines: Sequence[str], numbers: Iterator[int]) -> list[_Names]:
    """Return the names in each line, whose definitions get numbers.

    Results are definitions, as are labels of blocks, and what is new in these or before a region:
    arguments of functions and blocks, and what a loop carries.
    """
    scope = ChainMap[str, int]()
    found: list[_Names] = []
    for line in lines:
        start = line.lstrip()
        if start.startswith("}") and scope.maps[1:]:
            scope = scope.parents
        outer, begins, is_block = scope, line.endswith("{"), start.startswith("^")
        if begins:
            scope = scope.new_child()
        results = _RESULTS.match(line)
        last = 0 if results is None else results.end()
        names = [name for name in _NAME.finditer(line) if name[1]]
        defined: dict[int, int] = {}
        for place, name in enumerate(names):
            text, is_result = name[0], name.start() < last
            is_new = text[0] == "%" and text not in scope
            if is_result or (is_block and not place) or (is_new and (begins or is_block)):
                defined[place] = next(numbers)
                (outer if is_result else scope)[text] = defined[place]
        found.append(_Names([name[0] for name in names], scope, defined))
    return found


def _masked(lines: Sequence[str]) -> list[str]:
    return [_NAME.sub(lambda name: name[1] or name[0], line) for line in lines]


def _alike(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Return the lines in `new` that those of `old` are equal to, in order.

    Of lines that are removed or added beside lines like them, it is the last ones that are.
    """
    alike: dict[int, int] = {}
    start = at = 0  # behind the last block
    times = Counter(new)
    is_costly = sum(times[line] for line in old) > _MOST_PAIRS
    for i, j, size in SequenceMatcher(None, old, new, autojunk=is_costly).get_matching_blocks():
        slid = 0
        if at == j:
            while slid < size and old[start + slid] == old[i + slid]:
                slid += 1
        elif start == i:
            while slid < size and new[at + slid] == new[j + slid]:
                slid += 1
        alike.update((start + n, at + n) for n in range(slid))
        alike.update((i + n, j + n) for n in range(slid, size))
        start, at = i + size, j + size
    return alike


def _range(start: int, stop: int) -> str:
    """Return a range of lines as unified diffs have it."""
    length = stop - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def coloured(diff: str) -> str:
    r"""Return a unified diff with ANSI colours.

    Example:
        >>> coloured("+x\n")
        '\x1b[32m+x\x1b[0m\n'
    """
    return "".join(map(_coloured_line, diff.splitlines(keepends=True)))


def _coloured_line(line: str) -> str:
    text = line.rstrip("\n")
    bold = text.startswith(("--- before", "+++ after"))
    return styled(line, "bold" if bold else _COLOURS.get(text[:1], ""))
