"""The header that the reports of timing and statistics share."""

from __future__ import annotations

_WIDTH = 80
_BAR = f"==={'-' * 73}==="


def header(title: str) -> str:
    """Return the three lines that a report begins with.

    Source: `printPassStatistics` and `OutputTextStrategy::printHeader`, MLIR 22.
    """
    centred = f"... {title} ..."
    return f"{_BAR}\n{' ' * ((_WIDTH - len(centred)) // 2)}{centred}\n{_BAR}\n"
