"""`passel-opt` in one process and in two against `xdsl-opt`, for pipelines of 1 to 40 passes.

Time on the clock, which is what workers save: run it on an idle machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING

from bench_parallel import pipelines
from inputs import functions_of_40_ops
from measuring import wants_quick

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_FOR_XDSL_OPT = 10
"""Passes that xdsl-opt is still compared on, which takes minutes for more."""


def run_tool(tool: str, *arguments: str) -> tuple[float, float]:
    """Return the seconds on the clock and the peak memory in MiB of a tool with its workers.

    Memory that processes share counts once; it is looked at every 20 milliseconds.
    """
    command = [str(Path(sys.executable).with_name(tool)), *arguments]
    began, peak = perf_counter(), 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(proportional_memory, family(process.pid))))
            sleep(0.02)
    assert not process.returncode
    return perf_counter() - began, peak / 1024


def family(pid: int) -> Iterator[int]:
    """Yield a process and those that it has started."""
    yield pid
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from family(int(child))


def proportional_memory(pid: int) -> int:
    """Return the KiB of a process, of which it has a part of what it shares."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0  # it has ended


def show_tools(functions: int, rounds: int) -> None:
    """Print what whole tools take for pipelines of different lengths; ratios are to one process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.mlir")
        path.write_text(functions_of_40_ops(functions))
        for count, passes in pipelines():
            nested = f"--pass-pipeline=builtin.module(func.func({passes}))"
            commands = {
                "xdsl-opt": ("xdsl-opt", f"--passes={passes}"),
                "passel-opt -j 1": ("passel-opt", nested, "--jobs=1"),
                "passel-opt -j 2": ("passel-opt", nested, "--jobs=2"),
            }
            if count > _MOST_FOR_XDSL_OPT:
                del commands["xdsl-opt"]
            costs = {name: list[tuple[float, float]]() for name in commands}
            for _ in range(rounds):
                for name, command in commands.items():
                    costs[name].append(run_tool(*command, str(path)))
            least = [(name, *map(min, zip(*each, strict=True))) for name, each in costs.items()]
            alone = min(seconds for seconds, _ in costs["passel-opt -j 1"])
            for name, seconds, memory in least:
                print(
                    f"{count:3} passes, {name:15} {seconds:7.2f} s, ratio {seconds / alone:5.2f}, "
                    f"{memory:4.0f} MiB"
                )


def main() -> None:
    """Print the table."""
    functions, rounds = (8, 1) if wants_quick() else (1000, 3)
    print(f"{functions} functions of 40 ops")
    show_tools(functions, rounds)


if __name__ == "__main__":
    main()
