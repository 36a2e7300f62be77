"""The strategy for forked worker processes.

Workers start as copies of this process, and thus share its passes, ops and cached analyses. The
changes to ops that workers send back are merged in program order. The main process runs a task
again if a worker cannot encode the task's op, if passes of the worker changed ops that they did not
run on, or if the worker died in another task of the same share.
"""

from __future__ import annotations

import os
import threading
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.distribution import Distribution
from passel.execution.strategies.fork_map import Death, fork_map
from passel.execution.strategies.worker import Answer, in_fork
from passel.ir import SendsOps

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from passel.execution.run import Run
    from passel.execution.siblings import Siblings


class Forked(Distribution):
    """The strategy that runs tasks in forked worker processes.

    Changes that passes make to Python objects outside the IR are lost when the workers exit.
    """

    workers = "worker processes"

    def rejection(self, run: Run, siblings: Siblings) -> str:
        """Return the reason why workers cannot run the tasks, or an empty string if they can."""
        if not isinstance(run.adapter, SendsOps):
            return f"the adapter for '{run.adapter.name}' does not implement SendsOps"
        return super().rejection(run, siblings) or _left_behind()

    def answers(
        self, run: Run, siblings: Siblings, shares: Sequence[Sequence[Any]], jobs: int, /
    ) -> Generator[Answer]:
        """Yield a worker's answer for each share of the tasks, in the order of the shares."""
        found = fork_map(partial(in_fork, run, siblings), shares, jobs)
        for number in range(len(shares)):
            answer = found.pop(number, None) or Answer()
            if isinstance(answer, Death):
                answer = Answer(lost=[answer.step], how=answer.describe(), at=answer.mark)
            yield answer


def _left_behind() -> str:
    """Return the reason why this process cannot fork, or an empty string if it can.

    The process cannot fork if it has other threads. Threads do not run in the workers, and may hold
    a lock that a worker would wait for.
    """
    if _threads() == 1:
        return ""
    others = {each for each in threading.enumerate() if each is not threading.current_thread()}
    if not others:
        # Libraries that support forks, such as OpenBLAS, end their threads before a fork.
        with warnings.catch_warnings(action="ignore"):
            if not (child := os.fork()):
                os._exit(0)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)
        if _threads() == 1:
            return ""
    names = sorted({each.name.rstrip("-_0123456789") for each in others}) or ["of a library"]
    return f"this process has other threads ({', '.join(names)}), which a fork would not have"


def _threads() -> int:
    """Return the number of threads of this process. On Linux, this includes native threads."""
    try:
        return len([*Path("/proc/self/task").iterdir()])
    except OSError:
        return threading.active_count()
