"""Diffs of the IR before and after a pass."""

from __future__ import annotations

import difflib

from passel.instruments.terminals import styled

_CONTEXT = 3
_COLOURS = {"@": "cyan", "-": "red", "+": "green"}


def unified_diff(before: str, after: str) -> str:
    r"""Return the difference of two texts as a unified diff, or an empty string.

    Example:
        >>> print(unified_diff("a\nb\nc\n", "a\nc\n"), end="")
        --- before
        +++ after
        @@ -1,3 +1,2 @@
         a
        -b
         c
    """
    if before == after:
        return ""
    old, new = before.splitlines(), after.splitlines()
    # Comparing takes quadratic time: leave out all that is the same at both ends.
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    skipped, end = max(start - _CONTEXT, 0), max(end - _CONTEXT, 0)
    lines = difflib.unified_diff(
        old[skipped : len(old) - end],
        new[skipped : len(new) - end],
        "before",
        "after",
        n=_CONTEXT,
        lineterm="",
    )
    return "".join(f"{_moved(line, skipped)}\n" for line in lines)


def _common_start(old: list[str], new: list[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _moved(line: str, by: int) -> str:
    """Return a line of a diff, counting from the start of the whole text if it is `@@`."""
    if not by or not line.startswith("@@ "):
        return line
    mark, old, new, end = line.split(" ", 3)
    return f"{mark} {_shifted(old, by)} {_shifted(new, by)} {end}"


def _shifted(text: str, by: int) -> str:
    start, comma, count = text[1:].partition(",")
    return f"{text[0]}{int(start) + by}{comma}{count}"


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
