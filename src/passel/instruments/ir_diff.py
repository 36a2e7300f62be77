"""Diffs of the IR before and after a pass."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from passel.instruments.terminals import styled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COLOURS = {"@": "cyan", "-": "red", "+": "green"}

_CONTEXT = 3

_NAME = re.compile(r"([%^][\w$.\-]*?)(?:_?\d+)?(?![\w$.\-])")
"""The name of a value or a block: what is given to it, and a number that printers count."""

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
    names: dict[str, str] = {}  # in the new text, by those in the old one
    done = here = 0
    for start, at, size in _alike(_masked(old), _masked(new)):
        removed, added = _names_of(old[done:start]), _names_of(new[here:at])
        names.update(dict.fromkeys(removed, ""))
        # What replaces an op stands in its place, behind what only the old one needed.
        names.update(zip(reversed(removed), reversed(added), strict=False))
        for i, j in zip(range(start, start + size), range(at, at + size), strict=True):
            defined, is_same = _defined(old[i]), True
            for was, now in zip(_NAME.finditer(old[i]), _NAME.finditer(new[j]), strict=True):
                if was.span() in defined:
                    names[was[0]] = now[0]
                elif names.get(was[0], was[0]) != now[0]:
                    is_same = False
            if is_same:
                yield i, j
        done, here = start + size, at + size


def _masked(lines: Sequence[str]) -> list[str]:
    return [_NAME.sub(r"\1", line) for line in lines]


def _alike(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where equal lines begin in both, and how many there are.

    Of lines that are removed or added beside lines like them, it is the last ones that are.
    """
    start = at = size = 0
    for i, j, n in SequenceMatcher(None, old, new).get_matching_blocks():
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


def _defined(line: str) -> set[tuple[int, int]]:
    """Return the places in a line of names that it defines.

    These are results, arguments of blocks and functions, and what a loop carries.
    """
    results = _RESULTS.match(line)
    last = 0 if results is None else results.end()
    is_block = line.lstrip().startswith("^")
    is_header = is_block or line.endswith("{")
    return {
        name.span()
        for name in _NAME.finditer(line)
        if name.start() < last
        or (is_header and re.match(r"\s*(?::|= )", line[name.end() :]))
        or (is_block and name[0][0] == "^" and not line[: name.start()].strip())
    }


def _names_of(lines: Sequence[str]) -> list[str]:
    """Return the names that lines define, in order."""
    return [line[slice(*place)] for line in lines for place in sorted(_defined(line))]


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
