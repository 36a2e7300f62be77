"""Siblings in worker processes that are started, for IRs whose ops do not survive a fork.

Such ops are sent, which costs more than to fork. Starting takes half a second, so workers stay for
the next nested step.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from passel.diagnostics import log_warning_once
from passel.errors import EncodingError
from passel.execution.strategies.base import (
    can_share,
    is_allowed,
    most_at_once,
    processors,
    workers_for,
)
from passel.execution.strategies.cost_model import CostModel, rehearse_shipping
from passel.execution.strategies.futures import share_out
from passel.execution.strategies.placement import Place
from passel.execution.strategies.workers import (
    can_start,
    end_kept_workers,
    have_started,
    kept_workers,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from passel.execution.outcome import Outcome
    from passel.execution.strategies.base import SiblingWork

_START = 0.6
"""Seconds until a process that is started does its first task."""

_SHARES_PER_WORKER = 6
"""More balance better; but sending a share takes time for all siblings, not only those in it."""


class Started:
    """Tasks in processes that are started, where the IR and all passes can be sent and that pays.

    Args:
        jobs: How many processes may work at once.
        eager: Whether workers do all in any case, as many as `jobs` says.
    """

    place = Place.PROCESSES
    where = "worker processes"
    is_automatic = False

    def __init__(self, jobs: int, *, eager: bool = False) -> None:
        self.jobs: int = workers_for(jobs)
        self._eager = eager

    def __call__(self, work: SiblingWork, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        if not can_share(work, tasks, self.jobs) or not is_allowed(self, work) or not can_start():
            return map(work, tasks)
        try:
            work.transport.prepare()
        except EncodingError as error:
            log_warning_once(
                f"no {self.where}: {error}, so that passes in Python run on one op after the "
                "other; define them in a module that other processes can import"
            )
            return map(work, tasks)
        jobs = most_at_once(self.jobs, work)
        return self._share(work, tasks, jobs if self._eager else min(jobs, processors()))

    def _share(self, work: SiblingWork, tasks: Sequence[Any], size: int) -> Generator[Outcome]:
        done = 0
        if not self._eager:
            delay = 0.0 if have_started(size) else _START
            samples = ceil(len(tasks) / (size * _SHARES_PER_WORKER))
            model = CostModel(
                work, rehearse_shipping, size, samples=samples, overlaps=True, delay=delay
            )
            done = yield from model.run(tasks)
        if done == len(tasks):
            return
        is_over = False
        try:
            workers = kept_workers(size)
            yield from share_out(work, tasks[done:], workers, size * _SHARES_PER_WORKER)
            is_over = True
        finally:
            if not is_over:
                end_kept_workers()  # their work is not waited for any more
