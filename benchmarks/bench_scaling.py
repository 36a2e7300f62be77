"""What an op costs `passel-opt` in files of more and more ops: time and memory should stay flat.

`xdsl-opt` runs beside it on files of up to 100,000 ops.
"""

import sys
import tempfile
from pathlib import Path

from inputs import functions_of_40_ops
from measuring import Cost, run_process, wants_quick
from rich import box
from rich.console import Console
from rich.table import Table

_PIPELINE = "canonicalize,cse"
_SIZES = (1_000, 10_000, 100_000, 1_000_000)
_LARGEST_FOR_PEER = 100_000
_TOOLS = ("passel-opt", "xdsl-opt")


def main() -> None:
    """Run both tools on each size, and print a table."""
    tools = Path(sys.executable).parent
    table = Table(box=box.SIMPLE_HEAD, title="what an op costs", title_justify="left")
    for heading in ("ops", "passel-opt, µs", "KiB", "xdsl-opt, µs", "KiB", "ratio"):
        table.add_column(heading, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input.mlir")
        starts: dict[str, Cost] = {}
        for size in _SIZES[:2] if wants_quick() else (0, *_SIZES):
            file.write_text(functions_of_40_ops(size // 40) or "builtin.module {}")
            row, seconds = [f"{size:,}"], list[float]()
            for tool in _TOOLS[:1] if size > _LARGEST_FOR_PEER else _TOOLS:
                cost = run_process([str(tools / tool), str(file), "-p", _PIPELINE])
                start = starts.setdefault(tool, cost)
                seconds.append(cost.seconds - start.seconds)
                mebibytes = cost.mebibytes - start.mebibytes
                row += [f"{1e6 * seconds[-1] / (size or 1):.1f}"]
                row += [f"{1024 * mebibytes / (size or 1):.2f}"]
            if len(seconds) > 1 and seconds[1]:
                row.append(f"{seconds[0] / seconds[1]:.2f}")
            if size:
                table.add_row(*row)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
