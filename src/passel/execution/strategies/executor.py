"""Siblings on the workers of an executor: other processes, or other machines.

The pickled pipeline and the encoded ops go out, in shares; what has changed in the ops and the
outcomes come back. What a worker cannot do is done here. A share whose worker is gone fails.
"""

from __future__ import annotations

import os
import pickle
from concurrent.futures import Future
from contextlib import suppress
from threading import local
from typing import TYPE_CHECKING, Any

from passel.diagnostics import brief, log_warning_once
from passel.errors import EncodingError
from passel.execution.level import Level
from passel.execution.strategies import Sequential, at_work
from passel.execution.strategies.sharing import Sharing, fail_dead, fence, take, work_off
from passel.hooks import Instrumentor
from passel.ir import ShipsOps, ability_of, running_on
from passel.schedule import Pipeline, PipelineCompiler, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from passel.execution.facts import RunFacts, RunOptions
    from passel.passes.outcome import Outcome
    from passel.passes.reachable import EffectsGuard
    from passel.schedule import NestedStep


class OnExecutor(Sharing):
    """Tasks on the workers of an executor, where the IR and all passes can be sent.

    Args:
        executor: The executor, whose workers can import passel, the IR and the passes.
        jobs: How many shares at once; None for as many as it takes.
    """

    workers = "workers of an executor"

    def __init__(self, executor: Executor, jobs: int | None = None) -> None:
        super().__init__(max(2, jobs or workers_of(executor)))  # one works beside this process
        self._executor = executor

    def obstacle(self, run: RunFacts, level: Level) -> str:
        """Return why nothing is shared; empty if it is."""
        if ability_of(run.adapter, ShipsOps) is None:
            return f"ops of {run.adapter.name} cannot leave this process"
        if run.hooks.sees_steps:
            return "a run is observed in one process only"
        if level.ctx.cached is not None and level.ctx.cached.is_used_around():
            return "analyses of the enclosing ops are cached here"
        return super().obstacle(run, level)

    def share_out(self, run: RunFacts, level: Level, jobs: int, /) -> Iterable[Outcome]:
        """Do all tasks on the workers, and here what these cannot do."""
        facts = type(run), run.adapter, level.step, run.options, run.compiler.guard
        try:
            pipeline = pickle.dumps((*facts, run.reports.renders, run.collects_statistics))
        except Exception as error:  # noqa: BLE001 - what is pickled raises what it likes
            log_warning_once(f"no {self.workers}: {brief(error)}")
            return map(run.run_sibling, level.tasks)
        return self._share(run, level, pipeline, self.shares_of(level.tasks, jobs))

    def _share(
        self, run: RunFacts, level: Level, pipeline: bytes, shares: Sequence[Sequence[Any]]
    ) -> Iterator[Outcome]:
        sent = [self._send(run, pipeline, share) for share in shares]
        try:
            for share, future in zip(shares, sent, strict=True):
                yield from _outcomes_of(run, level, share, future)
        finally:
            # After an interrupt: processes of a pool begin work that cannot be cancelled.
            processes: Any = getattr(self._executor, "_processes", None)
            if processes and any(future.running() for future in sent):
                for process in [*processes.values()]:
                    process.terminate()
            else:
                for future in sent:
                    future.cancel()

    def _send(self, run: RunFacts, pipeline: bytes, share: Sequence[Any]) -> Future[bytes]:
        """Return what will be the answer of a worker, or the error that there is instead."""
        ships: Any = run.adapter
        try:
            ops = ships.ship([task.op for task in share], run.ir_context)
            return self._executor.submit(do_share, pipeline, ops)
        except Exception as error:  # noqa: BLE001 - executors raise what they like
            future: Future[bytes] = Future()
            future.set_exception(error)
            return future


def _outcomes_of(
    run: RunFacts, level: Level, share: Sequence[Any], future: Future[bytes]
) -> Iterable[Outcome]:
    """Wait for a share, and return its outcomes; do here what a worker has refused."""
    try:
        answer = pickle.loads(future.result())  # noqa: S301 - an executor's workers are trusted
    except EncodingError:
        return map(run.run_sibling, share)
    except Exception as error:  # noqa: BLE001 - as above
        how = f"is gone: {brief(error)}"
        return [fail_dead(run, level, task, how) for task in share]
    if isinstance(answer, str):
        if answer:
            log_warning_once(f"a worker refused its share: {answer}")
        return map(run.run_sibling, share)
    # What was done here meanwhile may have changed ops that the worker had as they were.
    taken = take(run, level, share, *answer) if all(map(level.is_as_known, share)) else None
    return map(run.run_sibling, share) if taken is None else taken


def workers_of(executor: Executor) -> int:
    """Return how many workers an executor has, as far as it tells, or how many cores there are."""
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
"""The pipeline of this thread's last share, whose passes are initialized once."""


def do_share(pipeline: bytes, ops: bytes) -> bytes:
    """Do a share in a worker; return outcomes and changes, or as text why not, pickled."""
    token = at_work.set(True)
    try:
        if getattr(_latest, "pipeline", None) != pipeline:
            _latest.facts, _latest.compiler = pickle.loads(pipeline), None  # noqa: S301 - see above
            _latest.pipeline = pipeline
        return pickle.dumps(_done(ops, *_latest.facts), pickle.HIGHEST_PROTOCOL)
    except EncodingError as error:
        return pickle.dumps(str(error))
    except Exception as error:  # noqa: BLE001 - modules that are not there raise what they like
        return pickle.dumps(brief(error))
    except BaseException:  # noqa: BLE001 - an interrupt by a pass, which is to happen over there
        return pickle.dumps("")
    finally:
        at_work.reset(token)


def _done(
    data: bytes,
    run_class: Any,
    adapter: Any,
    step: NestedStep,
    options: RunOptions,
    guard: EffectsGuard | None,
    renders: bool,
    collects: bool,
) -> tuple[list[tuple[Outcome, bytes]], set[str]]:
    """Do a share; return the outcomes and changes, and which nested pipelines have found ops."""
    context, ops = adapter.receive(data)
    if _latest.compiler is None or _latest.compiler.context is not context:
        _latest.compiler = PipelineCompiler(adapter, context, guard)
        _latest.schedule = Schedule(Pipeline("any", (step,), step.path))
    hooks = Instrumentor(())
    hooks.collects_statistics = collects
    emit: Any = list[Any]().append if renders else None  # it is reported over there
    run: RunFacts = run_class(_latest.compiler, hooks, emit, options=options, strategy=Sequential())
    with running_on(adapter, context):
        level = _level(run, _latest.schedule, step, ops)
        with fence(level):
            done = list(work_off(run, level.tasks))
    return done, run.matched


def _level(run: RunFacts, schedule: Schedule, step: NestedStep, ops: Sequence[Any]) -> Level:
    """Begin a share: copies of some siblings, inside of a copy of their enclosing op.

    Raises:
        EncodingError: It is to be done where it comes from.
    """
    run.op, run.pipeline = run.adapter.parent(ops[0]), schedule.pipeline
    run.hooks.run, run.reports.is_held = run, True
    if run.initialize(schedule, run.op).failures:
        raise EncodingError  # it is to fail where it comes from
    ctx = run.context(run.op, None)
    ctx.level = level = Level(run, step, ctx)
    wanted = set(map(run.key_of, ops))
    level.tasks = [task for task in level.tasks if run.key_of(task.op) in wanted]
    return level
