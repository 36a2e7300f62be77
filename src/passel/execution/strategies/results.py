"""Work that a worker has done, as it comes back."""

from __future__ import annotations

import gc
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.child_run import ChildRun


class Result(NamedTuple):
    """The work that a worker has done.

    Attributes:
        done: The outcome of each task, and what it has done to its op.
        observers: What has observed it.
    """

    done: Sequence[tuple[Outcome, Any]]
    observers: Any


def taken(work: ChildRun, chunk: Sequence[Any], result: Result) -> Iterator[Outcome]:
    """Take over what a worker has done with tasks, and yield the outcomes."""
    outcomes = [outcome for outcome, _ in result.done]
    work.merge(result.observers, outcomes)
    collects = gc.isenabled()
    gc.disable()  # much is made, and nothing becomes garbage
    try:
        for task, (outcome, packed) in zip(
            chunk, result.done, strict=False
        ):  # ends with an interrupt
            work.unpack(task, outcome, packed)
    finally:
        if collects:
            gc.enable()
    yield from outcomes


def how_it_ended(code: int | None, work: ChildRun) -> str:
    """Return how a process has ended, from its exit code: negative for a signal."""
    if code is None:
        return "exited with an unknown status"
    if code >= 0:
        return f"ended with exit code {code}"
    if -code == signal.SIGPROF and work.timeout is not None:  # the end of its patience
        return f"was ended: a pass took more than {work.timeout:g} s, and did not return"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:  # one of those for real time, which have no names
        return f"was killed by signal {-code}"
