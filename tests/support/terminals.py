"""What a terminal shows."""

from __future__ import annotations

import re


def screen(text: str) -> str:
    """Return what a terminal shows in the end, and assert that only the line is overwritten."""
    lines, row = [""], 0
    for part in re.split(r"(\r\n|\r|\x1b\[2K|\x1b\[1A)", re.sub(r"\x1b\[[?\d;]*[mhl]", "", text)):
        if part == "\r\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part == "\x1b[1A":
            row -= 1
        elif part == "\x1b[2K":
            assert re.match(r"step | \(\d|$", lines[row]), lines[row]
            lines[row] = ""
        elif part != "\r":
            lines[row] += part
    shown = "\n".join(lines).rstrip("\n")
    return shown and f"{shown}\n"
