"""The observers of runs that xdsl-opt has as flags; those of mlir-opt are instruments."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Self

from passel.hooks import PassInstrumentation
from passel.ir import PrintFlags
from passel.schedule import PassStep

if TYPE_CHECKING:
    from passel.ir import IRAdapter
    from passel.schedule import Step


class PrintBetweenPasses(PassInstrumentation):
    """`--print-between-passes`: prints the op after each pass that ran on it."""

    def __init__(self, adapter: IRAdapter) -> None:
        self.adapter = adapter

    def after_pass(self, step: Step, op: Any) -> None:
        """Print the op that the pass ran on."""
        if isinstance(step, PassStep):
            text = self.adapter.print_op(op, PrintFlags())
            sys.stderr.write(f"IR after {step.pass_.name}:\n{text}\n\n\n\n")


class PassTimer(PassInstrumentation):
    """`--time-passes`: prints how long each pass took on all its ops, in the end."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._started: dict[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for path, seconds in self.seconds.items():
            sys.stderr.write(f"Pass {path} took {seconds:.6f} seconds\n")

    def before_pass(self, step: Step, op: Any) -> None:
        """Start the clock."""
        if isinstance(step, PassStep):
            self._started[step.path] = time.perf_counter()

    def after_pass(self, step: Step, op: Any) -> None:
        """Stop the clock."""
        if isinstance(step, PassStep):
            self._add(step.path, time.perf_counter() - self._started[step.path])

    def split(self) -> PassInstrumentation:
        """Return one for another process."""
        return PassTimer()

    def merge(self, child: PassInstrumentation) -> None:
        """Add its times."""
        assert isinstance(child, PassTimer)  # noqa: S101 - the contract
        for path, seconds in child.seconds.items():
            self._add(path, seconds)

    def _add(self, path: str, seconds: float) -> None:
        self.seconds[path] = self.seconds.get(path, 0.0) + seconds
