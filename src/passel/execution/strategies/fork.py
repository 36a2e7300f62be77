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
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.execution.strategies.distribution import Answer, Distribution, branch, run_tasks
from passel.execution.strategies.fork_map import Death, fork_map, set_mark
from passel.hooks.instrumentor import Bracket
from passel.ir import SendsOps
from passel.schedule import passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from passel.execution.run import Run
    from passel.execution.siblings import Siblings
    from passel.passes.outcome import Outcome
    from passel.schedule import Step


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
        found = fork_map(partial(_worker, run, siblings), shares, jobs)
        for number in range(len(shares)):
            answer = found.pop(number, None) or Answer()
            if isinstance(answer, Death):
                answer = Answer(lost=[answer.done], how=answer.describe(), at=answer.running)
            yield answer


@contextmanager
def _worker(run: Run, siblings: Siblings) -> Generator[Callable[[Sequence[Any]], Answer]]:
    """Provide the function that runs a share of the tasks in a forked worker."""
    passes = {id(each) for each in passes_of(siblings.step)}

    def do(share: Sequence[Any]) -> Answer:
        done: list[tuple[Outcome, bytes]] = []

        def note(step: Step, _: Any) -> bool:
            if id(step) in passes:
                set_mark(len(done), id(step))
            return True

        part, parts = branch(run, share)
        part.gates = (note,)
        with Bracket(part.hooks, "run", part):
            for each in run_tasks(siblings, share):
                done.append(each)
                set_mark(len(done))
        return Answer(done, parts)

    with siblings.only_own_ops():
        yield do


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
