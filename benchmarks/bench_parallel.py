"""What worker processes gain: nested pipelines on many functions, by one process and by more.

Wall time, which is what workers save: run it on an idle machine. The break-even is the size from
which `jobs=2` is not slower.
"""

from __future__ import annotations

import os
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING

from inputs import functions_of_40_ops
from measuring import wants_quick

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Iterator


def walls(functions: int, passes: str, rounds: int) -> tuple[float, float]:
    """Return the least seconds that the passes took in one process and in two."""
    least = {1: float("inf"), 2: float("inf")}
    for _ in range(rounds):
        for jobs, known in tuple(least.items()):
            context = XDSLAdapter().create_context()
            module = parse_source(context, functions_of_40_ops(functions), "bench.mlir")
            manager = PassManager.parse(f"builtin.module(func.func({passes}))", context)
            started = perf_counter()
            manager.run(module, jobs=jobs)
            least[jobs] = min(known, perf_counter() - started)
    return least[1], least[2]


def pipelines() -> Iterator[tuple[int, str]]:
    """Yield pipelines of different lengths."""
    pair = ("cse", "canonicalize")
    for count in (1, 4, 10, 40):
        yield count, ",".join(islice(pair * count, count))


def show(what: str, alone: float, shared: float) -> None:
    """Print one line."""
    print(f"{what}: {alone:7.4f} s alone, {shared:7.4f} s shared, ratio {shared / alone:.2f}")


def main() -> None:
    """Print the tables."""
    quick = wants_quick()
    functions, rounds = (4, 1) if quick else (1000, 3)
    print(f"{os.cpu_count()} cores; {functions} functions of 40 ops")
    for count, passes in pipelines():
        alone, shared = walls(functions, passes, rounds)
        show(f"{count:3} passes", alone, shared)
    print("\ncse,canonicalize on fewer functions")
    for few in (2,) if quick else (5, 10, 20, 50, 100, 200):
        alone, shared = walls(few, "cse,canonicalize", rounds)
        show(f"{few:4} functions", alone, shared)


if __name__ == "__main__":
    main()
