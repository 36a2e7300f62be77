"""Debug counters: skip executions of passes by number, to find the one that does harm."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.schedule import Step

EVERY = "pass-execution"
"""The counter of all executions: passes, and steps that run nested pipelines."""


class _Counter:
    __slots__ = ("count", "limit", "skip")

    def __init__(self) -> None:
        self.count, self.skip, self.limit = 0, 0, -1

    def admits(self) -> bool:
        """Count an execution and return whether it is to happen."""
        self.count += 1
        if self.skip < 0:
            return True
        behind = self.count - self.skip
        return behind > 0 and (self.limit < 0 or behind <= self.limit)


class DebugCounter:
    """A gate that lets executions pass by their number; see `PassManager.add_gate`.

    The counter `pass-execution` counts everything that runs: passes and, each as one, steps
    that run nested pipelines, whose passes are not counted if it is skipped. A pass's name
    counts the executions of that pass, of those that `pass-execution` admits. Counting goes
    on over all runs.

    Args:
        text: `<counter>-skip=<n>` or `<counter>-count=<n>`, separated by commas: skip the
            first `n`; run `n` and skip the rest. A negative count is no limit, a negative skip
            admits everything.

    Raises:
        ValueError: It is written otherwise.

    Example:
        >>> counter = DebugCounter("cse-skip=1,cse-count=2")
        >>> print(counter.report())
        DebugCounter counters:
        cse                             : {0,1,2}

    Source: `mlir::tracing::DebugCounter`, MLIR 22, which has one for each kind of action, and
    none for a single pass.
    """

    def __init__(self, text: str = "") -> None:
        self._counters: dict[str, _Counter] = {}
        self._lock = Lock()
        for argument in text.split(","):
            if argument:
                self._set(argument)
        self._every = self._counters.get(EVERY)

    @property
    def names(self) -> Iterable[str]:
        """The names of the counters."""
        return self._counters.keys()

    def _set(self, argument: str) -> None:
        left, equals, value = argument.strip().partition("=")
        name, dash, what = left.rpartition("-")
        if not equals or not dash or not name or what not in ("skip", "count"):
            form = "'<counter>-skip=<n>' or '<counter>-count=<n>'"
            raise ValueError(f"expected {form}, got '{argument}'")
        if not value.removeprefix("-").isdecimal():
            raise ValueError(f"expected a number for '{left}', got '{value}'")
        counter = self._counters.setdefault(name, _Counter())
        if what == "skip":
            counter.skip = int(value)
        else:
            counter.limit = int(value)

    def __call__(self, step: Step, op: Any) -> bool:
        """Count a step and return whether it is to run."""
        with self._lock:
            if self._every is not None and not self._every.admits():
                return False
            if not isinstance(step, PassStep):
                return True
            counter = self._counters.get(step.pass_.name)
            return counter is None or counter.admits()

    def report(self) -> str:
        """Return a line for each counter: `{count,skip,limit}`, -1 being none."""
        lines = [
            f"{name:<32}: {{{counter.count},{counter.skip},{counter.limit}}}"
            for name, counter in sorted(self._counters.items())
        ]
        return "\n".join(["DebugCounter counters:", *lines])
