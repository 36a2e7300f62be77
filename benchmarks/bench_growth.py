"""What grows faster than the input: each cost at three sizes, beside a peer.

Time grows as a power of the size; its exponent is the slope, on logarithmic scales, of the CPU time
without that of a tiny input. With `--check`, sizes are small, peers do not run, and an exponent
above 1.2 is an error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING, NamedTuple

from inputs import branching_function, calling_functions, parts_of_a_file, redundant_functions
from measuring import Cost, peer, run_process
from rich import box
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_HIGHEST = 1.2
_TOOLS = Path(sys.executable).parent
_PASSEL, _XDSL = str(_TOOLS / "passel-opt"), str(_TOOLS / "xdsl-opt")
_CSE = ("--pass-pipeline=builtin.module(func.func(cse))",)
_CANONICALIZE = ("-p", "canonicalize")


class Growth(NamedTuple):
    """Something that is to be linear.

    Attributes:
        title: What it is; what it is compared with.
        source: Makes an input of a size.
        size: The smallest size of a check.
        command: What runs on the input.
        peer: What runs beside it, on all but the largest size: some take minutes.
    """

    title: str
    source: Callable[[int], str]
    size: int
    command: Sequence[str]
    peer: Sequence[str]


def growths() -> Iterator[Growth]:
    """Yield what is measured."""
    calls, blocks, functions = calling_functions, branching_function, redundant_functions
    yield Growth("functions that call functions; xdsl-opt", calls, 500, [_PASSEL], [_XDSL])
    title = "canonicalize in one function of many blocks; xdsl-opt"
    yield Growth(title, blocks, 500, [_PASSEL, *_CANONICALIZE], [_XDSL, *_CANONICALIZE])
    command = [_PASSEL, *_CSE]
    for flag in ("--check-isolation", "--mlir-generate-reproducer=/dev/null"):
        yield Growth(f"{flag}; without", functions, 250, [*command, flag], command)
    if (mlir := peer("mlir")) is None:
        return
    command, opt = [_PASSEL, "--ir=mlir", *_CSE], str(Path(mlir.__path__[0], "bin", "mlir-opt"))
    title, split = "--split-input-file on MLIR's ops; mlir-opt", "--split-input-file"
    yield Growth(title, parts_of_a_file, 300, [*command, split], [opt, *_CSE, split])
    title, flag = "--mlir-print-ir-diff; --mlir-print-ir-after-all", "--mlir-print-ir-diff"
    all_ = [*command, "--mlir-print-ir-after-all"]
    yield Growth(f"{title} on MLIR's ops", functions, 400, [*command, flag], all_)
    for flag, size in (("--check-isolation", 1000), ("--mlir-pass-statistics", 4000)):
        yield Growth(f"{flag} on MLIR's ops; without", functions, size, [*command, flag], command)


def main() -> int:
    """Measure all, print a table, and return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="small sizes, without peers")
    parser.add_argument(
        "--check", action="store_true", help="the same, and 1 is the exit code above 1.2"
    )
    given = parser.parse_args()
    table = Table(box=box.SIMPLE_HEAD, title="growth; peer", title_justify="left")
    for heading in ("", "size", "ms", "MiB", "peer, ms", "MiB", "ratio", "exponent"):
        table.add_column(heading, justify="right" if heading else "left", max_width=60)
    is_small, code = given.quick or given.check, 0
    for growth in growths():
        # What the machine does besides lengthens single runs, seldom the same in each of six tries.
        exponent = show(growth, table, is_small=is_small, tries=6 if given.check else 1)
        code |= exponent > _HIGHEST
    Console(width=120).print(table)
    return code if given.check else 0


def show(growth: Growth, table: Table, *, is_small: bool, tries: int) -> float:
    """Measure one, again while it grows too fast, add its rows, and return the exponent."""
    sizes = [growth.size * each for each in ((1, 2, 4) if is_small else (2, 8, 32))]
    texts, exponent = {size: growth.source(size) for size in (2, *sizes)}, 0.0
    costs = dict[int, Cost]()
    for _ in range(tries):
        costs = {size: measured(growth.command, text) for size, text in texts.items()}
        logs = [log(max(costs[size].seconds - costs[2].seconds, 1e-3)) for size in sizes]
        exponent = linear_regression([log(size) for size in sizes], logs).slope
        if exponent <= _HIGHEST:
            break
    rows = list[list[str]]()
    for size in sizes:
        other = ["", "", ""]
        if not is_small and size != sizes[-1]:
            peers = measured(growth.peer, texts[size])
            other = [*shown(peers), f"{costs[size].seconds / peers.seconds:.2f}"]
        rows.append(["", f"{size:,}", *shown(costs[size]), *other, ""])
    rows[0][0], rows[-1][-1] = growth.title, f"{exponent:.2f}"
    for row in rows:
        table.add_row(*row, end_section=row is rows[-1])
    return exponent


def measured(command: Sequence[str], text: str) -> Cost:
    """Run a command on a text."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        return run_process([*command, file.name], is_silent=False)


def shown(cost: Cost) -> tuple[str, str]:
    """Return the cells of a cost."""
    return f"{1e3 * cost.seconds:,.0f}", f"{cost.mebibytes:,.0f}"


if __name__ == "__main__":
    sys.exit(main())
