"""Diffs of the IR before and after a pass."""

from __future__ import annotations

import re
from collections import ChainMap, Counter, defaultdict, deque
from difflib import SequenceMatcher
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from passel.instruments.terminals import styled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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

    def is_same(one: _Use, other: _Use) -> bool:
        """Return whether two names are of one value, or one name of ops that are others."""
        if one.definition in kept or other.definition in arrived:
            return kept.get(one.definition) == other.definition
        return one.name == other.name

    for i, j in alike.items():
        if all(map(is_same, before[i].uses(), after[j].uses())):
            yield i, j


def _versions(
    old: Sequence[str], new: Sequence[str], alike: Mapping[int, int]
) -> Mapping[int, int]:
    """Return the lines of ops that are the same, but stand elsewhere or have other operands.

    The latter are between the same lines as before, and have the same name and results.
    """
    found = {*alike.values()}
    moved: defaultdict[object, deque[int]] = defaultdict(deque)
    added: defaultdict[object, deque[int]] = defaultdict(deque)
    hole = 0
    for j, line in enumerate(new):
        if j in found:
            hole = j + 1
        else:
            moved[line.strip()].append(j)
            added[hole, _head(line)].append(j)
    versions: dict[int, int] = {}
    for i in (i for i in range(len(old)) if i not in alike):
        if there := moved[old[i].strip()]:
            versions[i] = there.popleft()
    found.update(versions.values())
    hole = 0
    for i, line in enumerate(old):
        if i in alike:
            hole = alike[i] + 1
        elif i not in versions:
            there = added[hole, _head(line)]
            while there and there[0] in found:
                there.popleft()
            if there:
                versions[i] = there.popleft()
    return versions


def _head(line: str) -> str:
    """Return the results of an op and its name, or what a line begins with otherwise."""
    found = _HEAD.match(line)
    return found[0] if found else ""


class _Use(NamedTuple):
    """A name in a line, and the number of the definition that it is of; None if there is none."""

    name: str
    definition: int | None


class _Names(NamedTuple):
    """Names of values and blocks in a line.

    Attributes:
        names: The names.
        scopes: The definitions in the regions around the line, and in that which it begins.
        defined: By their place among the names, the definitions in the line.
    """

    names: Sequence[str]
    scopes: Sequence[dict[str, int]]
    defined: Mapping[int, int]

    def uses(self) -> Iterator[_Use]:
        """Yield the names with their definitions."""
        known = ChainMap(*reversed(self.scopes))
        return (_Use(name, known.get(name)) for name in self.names)


def _names_in(lines: Sequence[str], numbers: Iterator[int]) -> list[_Names]:
    """Return the names in each line, whose definitions get numbers.

    Results are definitions, as are labels of blocks, and what is new in these or before a region:
    arguments of functions and blocks, and what a loop carries.
    """
    scopes: list[dict[str, int]] = [{}]
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
        defined: dict[int, int] = {}
        for place, name in enumerate(names):
            text = name[0]
            is_label = is_block and not place
            is_new = text[0] == "%" and not any(text in scope for scope in scopes)
            is_result = name.start() < last
            if is_result or is_label or (is_new and (begins or is_block)):
                depth = len(scopes) - (begins and is_result)
                scopes[depth - 1][text] = defined[place] = next(numbers)
        found.append(_Names([name[0] for name in names], [*scopes], defined))
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
