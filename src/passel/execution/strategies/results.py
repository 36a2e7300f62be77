"""Work that a worker has done, as it comes back."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import SiblingWork


class Result(NamedTuple):
    """The work that a worker has done.

    Attributes:
        done: The outcome of each task, and what it has done to its op.
        observers: What has observed it.
    """

    done: list[tuple[Outcome, Any]]
    observers: Any


def taken(
    work: SiblingWork,
    chunk: Sequence[Any],
    result: Result,
    unpack: Callable[[Any, Any], None] | None = None,
) -> Iterator[Outcome]:
    """Take over what a worker has done, and yield the outcomes.

    Args:
        work: The work.
        chunk: The tasks.
        result: What the worker has done.
        unpack: Does to an op what its task has done; by default `SiblingWork.unpack`.
    """
    unpack = unpack or work.unpack
    work.merge(result.observers)
    collects = gc.isenabled()
    gc.disable()  # much is made, and nothing becomes garbage
    try:
        for task, (_, packed) in zip(chunk, result.done, strict=False):  # ends with an interrupt
            unpack(task, packed)
    finally:
        if collects:
            gc.enable()
    for outcome, _ in result.done:
        yield outcome
