"""Diffs of the IR before and after a pass."""

from __future__ import annotations

import difflib

from passel.instruments.terminals import styled

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
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "before", "after", lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


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
