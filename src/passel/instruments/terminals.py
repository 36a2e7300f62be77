"""Color text on terminals."""

from __future__ import annotations

import os
import re
from typing import Any, Literal, TypeAlias

Color: TypeAlias = Literal["auto", "always", "never"]
"""Whether to color text. `auto` colors text on capable terminals unless `NO_COLOR` is set."""

_CODES = {
    "bold": "1",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}


def shows_color(stream: Any, color: Color = "auto") -> bool:
    """Return whether to color the text that is written to a stream.

    Example:
        >>> import io
        >>> shows_color(io.StringIO()), shows_color(io.StringIO(), "always")
        (False, True)

    Source: https://no-color.org, and `llvm::raw_fd_ostream::has_colors`, LLVM 22.
    """
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(stream.isatty())


def styled(text: str, style: str) -> str:
    r"""Add ANSI escape codes to each line of a text, for a style such as `bold red`.

    Example:
        >>> styled("a\n", "bold red")
        '\x1b[1;31ma\x1b[0m\n'
    """
    if not style:
        return text
    codes = ";".join(_CODES[word] for word in style.split())
    return re.sub(r"[^\n]+", f"\x1b[{codes}m\\g<0>\x1b[0m", text)
