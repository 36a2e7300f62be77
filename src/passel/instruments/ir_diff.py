"""Diffs of the IR before and after a pass."""

from __future__ import annotations

import re
from collections import ChainMap, Counter, defaultdict, deque
from difflib import SequenceMatcher
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

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

_Definition: TypeAlias = tuple[int, int]
"""How deep the region of a definition is nested, and its number."""

_Meaning: TypeAlias = _Definition | str

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
    blocks = [*_alike(*masked)]
    alike = [(start + n, at + n) for start, at, size in blocks for n in range(size)]
    moved = dict(_moved(*masked, dict(alike)))
    in_place: dict[_Meaning, _Meaning] = {}  # definitions in the new text, by those in the old
    for i, j in (*alike, *moved.items()):
        theirs = after[j].defined
        in_place.update((n, theirs[at]) for at, n in before[i].defined.items() if at in theirs)
    arrived = {*moved.values()}
    done = here = 0
    for start, at, size in blocks:
        removed = _defined_in(before[i] for i in range(done, start) if i not in moved)
        added = _defined_in(after[j] for j in range(here, at) if j not in arrived)
        # What replaces an op stands in its place, behind what only the old one needed.
        for gone, come in zip(removed, added, strict=False):
            in_place.update(zip(reversed(gone), reversed(come), strict=False))
        done, here = start + size, at + size
    for i, j in alike:
        if [in_place.get(each, each) for each in before[i].meant()] == after[j].meant():
            yield i, j


def _moved(
    old: Sequence[str], new: Sequence[str], alike: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield the lines, beside those that are alike, that stand elsewhere in the new text."""
    gone: defaultdict[str, deque[int]] = defaultdict(deque)
    for i, line in enumerate(old):
        if i not in alike:
            gone[line.strip()].append(i)
    found = {*alike.values()}
    for j, line in enumerate(new):
        if j not in found and gone[line.strip()]:
            yield gone[line.strip()].popleft(), j


class _Names(NamedTuple):
    """Names of values and blocks in a line.

    Attributes:
        names: The names.
        scopes: The definitions in the regions around the line, and in that which it begins.
        defined: By their place among the names, the definitions in the line.
    """

    names: Sequence[str]
    scopes: Sequence[dict[str, _Definition]]
    defined: Mapping[int, _Definition]

    def meant(self) -> list[_Meaning]:
        """Return the definition that each name is of; the name if the text has none."""
        known = ChainMap(*reversed(self.scopes))
        return [known.get(name, name) for name in self.names]


def _names_in(lines: Sequence[str], numbers: Iterator[int]) -> list[_Names]:
    """Return the names in each line, whose definitions get numbers.

    Results are definitions, as are labels of blocks, and what is new in these or before a region:
    arguments of functions and blocks, and what a loop carries.
    """
    scopes: list[dict[str, _Definition]] = [{}]
    found: list[_Names] = []
    for line in lines:
        start = line.lstrip()
        if start.startswith("}") and scopes[1:]:
            scopes.pop()
        is_block = start.startswith("^")
        if begins := line.endswith("{"):
            scopes.append({})
        results = _RESULTS.match(line)
        last = 0 if results is None else results.end()
        names = [name for name in _NAME.finditer(line) if name[1]]
        defined: dict[int, _Definition] = {}
        for place, name in enumerate(names):
            text = name[0]
            is_label = is_block and not place
            is_new = text[0] == "%" and not any(text in scope for scope in scopes)
            is_result = name.start() < last
            if is_result or is_label or (is_new and (begins or is_block)):
                depth = len(scopes) - (begins and is_result)
                scopes[depth - 1][text] = defined[place] = depth, next(numbers)
        found.append(_Names([name[0] for name in names], [*scopes], defined))
    return found


def _defined_in(lines: Iterable[_Names]) -> list[list[_Definition]]:
    """Return the definitions in lines by the depth of their regions, outer ones first."""
    found: defaultdict[int, list[_Definition]] = defaultdict(list)
    for line in lines:
        for each in line.defined.values():
            found[each[0]].append(each)
    return [found[depth] for depth in sorted(found)]


def _masked(lines: Sequence[str]) -> list[str]:
    return [_NAME.sub(lambda name: name[1] or name[0], line) for line in lines]


def _alike(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where equal lines begin in both, and how many there are.

    Of lines that are removed or added beside lines like them, it is the last ones that are.
    """
    start = at = size = 0
    times = Counter(new)
    is_costly = sum(times[line] for line in old) > _MOST_PAIRS
    for i, j, n in SequenceMatcher(None, old, new, autojunk=is_costly).get_matching_blocks():
        slid = 0
        if at + size == j:
            while slid < n and old[start + size + slid] == old[i + slid]:
                slid += 1
        elif start + size == i:
            while slid < n and new[at + size + slid] == new[j + slid]:
                slid += 1
        yield start, at, size + slid
        start, at, size = i + slid, j + slid, n - slid
    yield start, at, size


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
