"""Counting ops by name."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from passel.analysis import AllAnalyses
from passel.passes import Pass, option
from passel.xdsl.symbols import op_name

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.passes import PassContext


class PrintOpStats(Pass["Operation"]):
    """Print how often each operation occurs, on the error stream.

    Source: `mlir/lib/Transforms/OpStats.cpp`, MLIR 22.
    """

    name = "print-op-stats"
    preserves: ClassVar[tuple[type, ...]] = (AllAnalyses,)
    idempotent = True  # a second look shows what the first one did
    ir = "xdsl"
    json: bool = option(default=False, help="Print the stats as JSON.")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Count `op` and everything inside, and change nothing."""
        counts = Counter(map(op_name, op.walk()))
        text = _json(counts) if self.json else _table(counts)
        sys.stderr.write(text)
        ctx.preserve_all()


def _json(counts: Counter[str]) -> str:
    lines = ",\n".join(f'  "{name}" : {count}' for name, count in sorted(counts.items()))
    return f"{{\n{lines}\n}}\n"


def _table(counts: Counter[str]) -> str:
    """Lay out as MLIR does: dialects aligned at their right, op names at their left."""
    if not counts:
        return "Operations encountered:\n-----------------------\n<no operations>\n"
    rows = {name: _split(name) for name in sorted(counts)}
    dialect_width = max(len(dialect) for dialect, _ in rows.values())
    rest_width = max(len(rest) for _, rest in rows.values())
    lines = ["Operations encountered:", "-----------------------"]
    for name, (dialect, rest) in rows.items():
        dot = "." if dialect else " "
        lines.append(f"  {dialect:>{dialect_width}}{dot}{rest:<{rest_width}} , {counts[name]}")
    return "\n".join(lines) + "\n"


def _split(name: str) -> tuple[str, str]:
    """Split off the dialect, which ends at the first dot; without one there is none."""
    dialect, dot, rest = name.partition(".")
    return (dialect, rest) if dot else ("", name)
