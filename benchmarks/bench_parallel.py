"""What worker processes gain: nested pipelines on many functions, by one process and by more.

Wall time, which is what workers save: run it on an idle machine. The break-even is the size from
which a ratio is below one.
"""

from __future__ import annotations

import gc
import os
from itertools import islice
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any

from inputs import functions_of_40_ops
from measuring import wants_quick
from mlir import ir as mlir_ir

from passel import PassManager
from passel.mlir import MLIRAdapter
from passel.mlir import parse_source as parse_mlir
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.execution.strategies import Jobs

_MOST = 10_000
"""The most functions times passes."""


def walls(functions: int, passes: str, rounds: int) -> dict[Jobs, float]:
    """Return the least seconds that the passes took in one process, in two, and unasked."""
    source = functions_of_40_ops(functions)
    least: dict[Jobs, float] = {1: float("inf"), 2: float("inf"), "auto": float("inf")}
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


def count_users(op: Any) -> None:
    """Look at each op and value of a function, as passes in Python do, and change nothing."""
    for inner in op.body.blocks[0].operations:
        for result in inner.operation.results:
            sum(1 for _ in result.uses)


def change(op: Any, number: int) -> None:
    """Change a function, as little as can be."""
    value = mlir_ir.StringAttr.get(str(number), context=op.operation.context)
    op.operation.attributes["bench.x"] = value


def show_mlir(functions: int, rounds: int) -> None:
    """Print what it costs to send MLIR's functions to another process, in CPU time for each.

    What the other process does is done here.
    """
    adapter = MLIRAdapter()
    took_back = "parent: take back unchanged", "parent: take back"
    names = ("parent: ship", *took_back, "worker: receive", "worker: send back", "a look")
    least: dict[str, float] = dict.fromkeys(names, float("inf"))
    context = mlir_ir.Context()
    module = parse_mlir(context, functions_of_40_ops(functions), "bench.mlir")
    ops = list(module.body.operations)
    for number in range(2 * rounds):
        gc.collect()
        times = [thread_time()]
        data = adapter.ship(ops, context)
        times.append(thread_time())
        shipment = adapter.receive(data)
        times.append(thread_time())
        for copy in shipment.ops:
            count_users(copy)
        times.append(thread_time())
        if number % 2:
            for copy in shipment.ops:
                change(copy, number)
        start = thread_time()
        letters = [adapter.encode(copy, shipment.known) for copy in shipment.ops]
        written = thread_time()
        for op, letter in zip(ops, letters, strict=True):
            adapter.decode_into(op, letter, context)
        costs = {
            "parent: ship": times[1] - times[0],
            "worker: receive": times[2] - times[1],
            "a look": times[3] - times[2],
            "worker: send back": written - start,
            took_back[number % 2]: thread_time() - written,
        }
        for what, seconds in costs.items():
            least[what] = min(least[what], seconds)
    for what, seconds in least.items():
        looks = seconds / least["a look"]
        print(f"{what}: {seconds / functions * 1e6:6.0f} us a function, {looks:5.2f} looks")


def show_nested(functions: int, rounds: int) -> None:
    """Print what `jobs=2` and `jobs="auto"` take of the time of one process, for many sizes."""
    sizes = (2, 10, 50, 200, 500, 1000)
    highest = 0.0
    print("passes functions  one process  jobs=2  auto")
    for count, passes in pipelines():
        for size in (each for each in sizes if each <= functions and each * count <= _MOST):
            least = walls(size, passes, rounds * min(8, max(1, 2000 // (size * count))))
            two, auto = least[2] / least[1], least["auto"] / least[1]
            highest = max(highest, auto)
            print(
                f"{count:6} {size:9} {least[1] * 1e3:9.2f} ms  {two:6.2f}  {auto:4.2f}", flush=True
            )
    print(f"The highest ratio of jobs='auto' to one process: {highest:.2f}")


def main() -> None:
    """Print the tables."""
    quick = wants_quick()
    functions, rounds = (8, 1) if quick else (1000, 3)
    print(f"{os.cpu_count()} cores; functions of 40 ops; time on the clock")
    show_nested(2 if quick else functions, rounds)
    print("\nMLIR's ops to other processes and back, CPU time")
    show_mlir(functions, rounds)


if __name__ == "__main__":
    main()
