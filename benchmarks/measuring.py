"""How everything here is measured: candidates take turns, and are compared turn by turn.

Times are CPU times, which other processes disturb less than the clock. The smallest is the
best guess of what something costs; a ratio is the median of the turns' ratios, since noise
that lasts hits neighbours in a turn alike.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LAUNCHER = Path(__file__).with_name("launcher.py")


def peer(module: str) -> Any:
    """Import a peer, which need not be installed.

    Returns:
        The module, or None.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"({module} is not installed, so it is not compared)")
        return None


@dataclass(slots=True)
class Comparison:
    """Samples of several candidates, one per turn; the first candidate is the reference.

    Attributes:
        title: What is compared.
        unit: The unit of the samples times `scale`.
        scale: What samples are multiplied by to be shown.
        samples: By candidate.
    """

    title: str
    unit: str
    scale: float = 1.0
    samples: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def show(self) -> None:
        """Print a table."""
        # Imported late: what is measured in this process comes first.
        from rich import box
        from rich.console import Console
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, title=self.title, title_justify="left")
        table.add_column("", min_width=50)
        for heading in (f"{self.unit}, min", "median", "ratio"):
            table.add_column(heading, justify="right")
        reference = next(iter(self.samples.values()))
        for name, samples in self.samples.items():
            ratio = median(a / b for a, b in zip(samples, reference, strict=True))
            shown = (self.scale * value for value in (min(samples), median(samples)))
            table.add_row(name, *map(_three_digits, shown), f"{ratio:.2f}")
        Console(width=100).print(table)


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def compare(
    title: str,
    candidates: dict[str, Callable[..., object]],
    *,
    rounds: int,
    unit: str,
    scale: float,
    make_inputs: Callable[[], tuple[object, ...]] = tuple,
) -> Comparison:
    """Time functions in this process, in turns, after one call of each that does not count.

    What exists before the first turn is kept from the garbage collector, so that a
    candidate does not pay for its neighbours' data. Nor does it pay for its own arguments,
    which are made for each call.
    """
    comparison = Comparison(title, unit, scale, {name: [] for name in candidates})
    for candidate in candidates.values():
        candidate(*make_inputs())
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, candidate in candidates.items():
            inputs = make_inputs()
            gc.collect()
            start = process_time()
            kept = candidate(*inputs)
            comparison.samples[name].append(process_time() - start)
            del kept, inputs
    gc.unfreeze()
    return comparison


class Cost(NamedTuple):
    """What a process took.

    Attributes:
        seconds: CPU time.
        mebibytes: Peak memory.
        output: What it printed.
    """

    seconds: float
    mebibytes: float
    output: bytes


def run_process(command: Sequence[str], *, is_silent: bool = True) -> Cost:
    """Run a command to its end.

    Args:
        command: The command.
        is_silent: Whether it is to write nothing to its standard error.

    Raises:
        CalledProcessError: It failed.
        AssertionError: It complained, so that its time is not that of its work.
    """
    # Bytecode is kept as it is for users, whatever the environment at hand says.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "output")
        launched = subprocess.run(
            [sys.executable, "-IS", str(_LAUNCHER), str(output), *command],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        assert not (is_silent and launched.stderr), launched.stderr
        seconds, kibibytes = map(float, launched.stdout.split())
        return Cost(seconds, kibibytes / 1024, output.read_bytes())


def compare_processes(
    title: str, commands: dict[str, Sequence[str]], *, rounds: int
) -> tuple[Comparison, Comparison, dict[str, bytes]]:
    """Run commands in turns, after one run of each that does not count.

    The uncounted run leaves bytecode and warm file caches behind.

    Returns:
        CPU times, peak memory, and what each command printed.
    """
    times = Comparison(f"{title}: CPU time", "ms", 1e3, {name: [] for name in commands})
    memory = Comparison(f"{title}: peak memory", "MiB", 1, {name: [] for name in commands})
    outputs = {name: run_process(command).output for name, command in commands.items()}
    for _ in range(rounds):
        for name, command in commands.items():
            cost = run_process(command)
            assert cost.output == outputs[name], f"{name} is not deterministic"
            times.samples[name].append(cost.seconds)
            memory.samples[name].append(cost.mebibytes)
    return times, memory, outputs


def wants_quick() -> bool:
    """Read the command line: whether tiny sizes will do, to see that everything works."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="tiny sizes; the numbers mean nothing")
    return parser.parse_args().quick
