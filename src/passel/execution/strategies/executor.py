"""The strategy for executors, whose workers are processes on this or on other machines.

Each worker receives the pickled pipeline and a share of the ops, and returns the outcomes and the
changes of the ops. The main process runs the tasks that workers reject. If a worker dies, all tasks
of its share fail.
"""

from __future__ import annotations

import os
import pickle
from concurrent.futures import Future
from contextlib import suppress
from itertools import repeat
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import brief, log_warning_once
from passel.errors import EncodingError
from passel.execution.run import Run
from passel.execution.strategies import Sequential, at_work
from passel.execution.strategies.sharing import Answer, Elsewhere, fence, work_off
from passel.hooks import Instrumentor
from passel.ir import ShipsOps, ability_of, running_on
from passel.passes import PassContext
from passel.schedule import Pipeline, PipelineCompiler, Schedule

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Executor

    from passel.execution.level import Level
    from passel.execution.options import RunOptions
    from passel.passes.reachable import EffectsGuard
    from passel.schedule import NestedStep


class _Facts(NamedTuple):
    """The data that a worker needs about a run."""

    adapter: Any
    step: NestedStep
    options: RunOptions
    guard: EffectsGuard | None
    renders: bool
    collects: bool


class OnExecutor(Elsewhere):
    """The strategy that runs tasks on the workers of an executor.

    Args:
        executor: The executor, whose workers must be able to import passel, the IR and the passes.
        jobs: The number of workers that the tasks are divided among; None for all workers.
    """

    workers = "the executor"

    def __init__(self, executor: Executor, jobs: int | None = None) -> None:
        super().__init__(max(2, jobs or workers_of(executor)))  # a single worker is used too
        self._executor = executor

    def rejection(self, run: Run, level: Level) -> str:
        """Return the reason why workers cannot run the tasks, or an empty string if they can."""
        if ability_of(run.adapter, ShipsOps) is None:
            return f"'{run.adapter.name}' ops cannot be sent to other processes"
        if run.hooks.sees_steps:
            return "runs with observers use one process"
        if level.ctx.cached is not None and level.ctx.cached.is_used_around():
            return "analyses of the enclosing ops are cached in this process"
        return super().rejection(run, level)

    def answers(
        self, run: Run, level: Level, shares: Sequence[Sequence[Any]], _: int, /
    ) -> Generator[Answer]:
        """Yield one answer from a worker for each share, in the order of the shares."""
        asked, guard = (run.reports.renders, run.hooks.collects_statistics), run.compiler.guard
        facts = _Facts(run.adapter, level.step, run.options, guard, *asked)
        try:
            pipeline = pickle.dumps(facts)
        except Exception as error:  # noqa: BLE001 - what is pickled raises what it likes
            log_warning_once(f"not using {self.workers}: {brief(error)}")
            yield from repeat(Answer(), len(shares))
            return
        sent = [self._send(run, pipeline, share) for share in shares]
        try:
            yield from map(_answer, sent, map(len, shares))
        finally:
            # After an interrupt: work that a process of a pool has begun cannot be cancelled.
            processes: Any = getattr(self._executor, "_processes", None)
            if processes and any(future.running() for future in sent):
                for process in [*processes.values()]:
                    process.terminate()
            else:
                for future in sent:
                    future.cancel()

    def _send(self, run: Run, pipeline: bytes, share: Sequence[Any]) -> Future[bytes]:
        """Submit a share, and return a future for the pickled answer or for an exception."""
        ships: Any = run.adapter
        try:
            ops = ships.ship([task.op for task in share], run.ir_context)
            return self._executor.submit(do_share, pipeline, ops)
        except Exception as error:  # noqa: BLE001 - executors raise what they like
            future: Future[bytes] = Future()
            future.set_exception(error)
            return future


def _answer(future: Future[bytes], count: int) -> Answer:
    """Wait for a future, and return the answer to its share of `count` tasks."""
    try:
        return pickle.loads(future.result())  # noqa: S301 - an executor's workers are trusted
    except EncodingError:
        return Answer()
    except Exception as error:  # noqa: BLE001 - as above
        return Answer(lost=range(count), how=f"is gone: {brief(error)}")


def workers_of(executor: Executor) -> int:
    """Return the number of workers of an executor; if unknown, the number of processors."""
    count = getattr(executor, "_max_workers", None)
    if isinstance(count, int):
        return count
    client = getattr(executor, "_client", None)  # of Dask
    with suppress(Exception):
        if client is not None and (threads := sum(client.nthreads().values())):
            return threads
    return os.cpu_count() or 1


# -- In a worker ------------------------------------------------------------------------------

_latest = local()
"""The pipeline of the thread's last share, stored so that the passes are initialized once."""


def do_share(pipeline: bytes, ops: bytes) -> bytes:
    """Run the tasks of a share in a worker, and return the pickled answer.

    Args:
        pipeline: The pickled data about the run.
        ops: The ops of the share, as the adapter's method `ship` encodes them.
    """
    token = at_work.set(True)
    try:
        if getattr(_latest, "pipeline", None) != pipeline:
            _latest.facts, _latest.compiler = pickle.loads(pipeline), None  # noqa: S301 - see above
            _latest.pipeline = pipeline
        return pickle.dumps(_do(ops, _latest.facts), pickle.HIGHEST_PROTOCOL)
    except EncodingError as error:
        return pickle.dumps(Answer(refused=str(error)))
    except Exception as error:  # noqa: BLE001 - a missing module may raise any exception
        return pickle.dumps(Answer(refused=brief(error)))
    except BaseException:  # noqa: BLE001 - the main process repeats the interrupt of the pass
        return pickle.dumps(Answer())
    finally:
        at_work.reset(token)


def _do(data: bytes, facts: _Facts) -> Answer:
    """Decode the ops of a share, and run the pipeline on them."""
    adapter, step = facts.adapter, facts.step
    context, ops = adapter.receive(data)
    if _latest.compiler is None or _latest.compiler.context is not context:
        _latest.compiler = PipelineCompiler(adapter, context, facts.guard)
        _latest.schedule = Schedule(Pipeline("any", (step,), step.path))
    hooks = Instrumentor(())
    hooks.collects_statistics = facts.collects
    emit: Any = list[Any]().append if facts.renders else None  # reported by the main process
    run = Run(_latest.compiler, hooks, emit, options=facts.options, strategy=Sequential())
    with running_on(adapter, context):
        level = _level(run, _latest.schedule, step, ops)
        with fence(level):
            done = list(work_off(run, level.tasks))
    return Answer(done, frozenset(run.matched))


def _level(run: Run, schedule: Schedule, step: NestedStep, ops: Sequence[Any]) -> Level:
    """Return the level of a share, whose ops are copies inside a copy of their parent op.

    Raises:
        EncodingError: If a pass cannot be initialized. The main process reports the failure.
    """
    run.op, run.pipeline = run.adapter.parent(ops[0]), schedule.pipeline
    run.hooks.run, run.reports.is_held = run, True
    if run.initialize(schedule, run.op).failures:
        raise EncodingError  # the main process runs the share, and reports the failure
    ctx = PassContext(run, run.op, run.place_of(run.op), None)
    ctx.level = level = run.level(step, ctx)
    wanted = set(map(run.key_of, ops))
    level.tasks = [task for task in level.tasks if run.key_of(task.op) in wanted]
    return level
