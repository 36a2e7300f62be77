"""What worker processes gain: nested pipelines on many functions, by one process and by more.

Wall time, which is what workers save: run it on an idle machine. The break-even is the size from
which a ratio is below one.
"""

from __future__ import annotations

import gc
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


_MOST = 10_000
"""The most functions times passes."""

_SIZES = (2, 10, 50, 200, 500, 1200)


def walls(functions: int, passes: str, rounds: int) -> dict[int, float]:
    """Return the least seconds that the passes took in one process and in two."""
    source = functions_of_40_ops(functions)
    least: dict[int, float] = {1: float("inf"), 2: float("inf")}
    for _ in range(rounds):
        for jobs, known in tuple(least.items()):
            context = XDSLAdapter().create_context()
            module = parse_source(context, source, "bench.mlir")
            manager = PassManager.parse(f"builtin.module(func.func({passes}))", context)
            gc.collect()
            started = perf_counter()
            manager.run(module, jobs=jobs)
            least[jobs] = min(known, perf_counter() - started)
    return least


def pipelines() -> Iterator[tuple[int, str]]:
    """Yield pipelines of different lengths."""
    pair = ("cse", "canonicalize")
    for count in (1, 4, 10, 40):
        yield count, ",".join(islice(pair * count, count))


def main() -> None:
    """Print what `jobs=2` takes of the time of one process, for many sizes."""
    quick = wants_quick()
    functions, rounds = (2, 1) if quick else (1200, 3)
    print(f"{os.cpu_count()} cores; functions of 40 ops; time on the clock")
    print("passes functions  one process  ratio of jobs=2")
    for count, passes in pipelines():
        for size in (each for each in _SIZES if each <= functions and each * count <= _MOST):
            least = walls(size, passes, rounds * min(8, max(1, 2000 // (size * count))))
            ratio = least[2] / least[1]
            print(f"{count:6} {size:9} {least[1] * 1e3:9.2f} ms  {ratio:6.2f}", flush=True)


if __name__ == "__main__":
    main()
