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
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.diagnostics import brief, log_warning_once
from passel.errors import EncodingError
from passel.execution.strategies.sequential import Sequential, at_work
from passel.execution.strategies.sharing import Fence, Sharing, take, work_off
from passel.hooks import Instrumentor
from passel.ir import ShipsOps, ability_of, running_on
from passel.schedule import Pipeline, PipelineCompiler, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from passel.execution.facts import RunFacts
    from passel.execution.level import Level
    from passel.execution.options import RunOptions
    from passel.ir import IRAdapter
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
            return f"Python passes on ops of {run.adapter.name} run in one process only"
        if run.hooks.sees_steps:
            return "a run is observed in one process only"
        if level.ctx.cached is not None and level.ctx.cached.around():
            return "analyses of the enclosing ops are cached here"
        return super().obstacle(run, level)

    def share_out(self, run: RunFacts, level: Level, jobs: int, /) -> Iterable[Outcome]:
        """Do all tasks on the workers, and here what these cannot do."""
        common = _Common(
            type(run),
            run.adapter,
            level.step,
            run.options,
            run.compiler.guard,
            run.reports.renders,
            run.collects_statistics,
        )
        try:
            pipeline = pickle.dumps(common, pickle.HIGHEST_PROTOCOL)
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
            _end(self._executor, sent)

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


def _end(executor: Executor, sent: Sequence[Future[bytes]]) -> None:
    """End what an interrupt has left: processes of a pool begin work that cannot be cancelled."""
    processes: Any = getattr(executor, "_processes", None)
    if isinstance(processes, dict) and any(future.running() for future in sent):
        for process in [*cast("dict[int, Any]", processes).values()]:
            process.terminate()
        return
    for future in sent:
        future.cancel()


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
        return [run.fail_dead(task, how) for task in share]
    if isinstance(answer, str):
        if answer:
            log_warning_once(f"a worker refused its share: {answer}")
        return map(run.run_sibling, share)
    # What was done here meanwhile may have changed ops that the worker had as they were.
    if all(map(level.is_as_known, share)):
        return take(run, level, share, *answer)
    return map(run.run_sibling, share)


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


class _Common(NamedTuple):
    """All that the shares of a nested step have in common.

    Attributes:
        run_class: The class of runs.
        adapter: The adapter of the IR.
        step: The nested step.
        options: What is checked.
        guard: Refuses passes for what they do outside the IR; None if all may run.
        renders: Whether diagnostics have to come with their ops as text.
        collects: Whether passes count also what costs time to count.
    """

    run_class: Any
    adapter: IRAdapter
    step: NestedStep
    options: RunOptions
    guard: EffectsGuard | None
    renders: bool
    collects: bool


class _Latest(local):
    """The pipeline of this thread's last share, whose passes are initialized once."""

    pipeline: bytes = b""
    common: Any = None
    compiled: tuple[PipelineCompiler, Schedule] | None = None


_latest = _Latest()


def do_share(pipeline: bytes, ops: bytes) -> bytes:
    """Do a share in a worker; return outcomes and changes, or as text why not, pickled."""
    token = at_work.set(True)
    try:
        if _latest.pipeline != pipeline:
            _latest.common, _latest.compiled = pickle.loads(pipeline), None  # noqa: S301 - see above
            _latest.pipeline = pipeline
        return pickle.dumps(_done(_latest.common, ops), pickle.HIGHEST_PROTOCOL)
    except EncodingError as error:
        return pickle.dumps(str(error))
    except Exception as error:  # noqa: BLE001 - modules that are not there raise what they like
        return pickle.dumps(brief(error))
    except BaseException:  # noqa: BLE001 - an interrupt by a pass, which is to happen over there
        return pickle.dumps("")
    finally:
        at_work.reset(token)


def _done(common: _Common, data: bytes) -> tuple[list[tuple[Outcome, bytes]], set[str]]:
    """Do a share; return the outcomes and changes, and which nested pipelines have found ops."""
    ships: Any = common.adapter
    shipment = ships.receive(data)
    context, step = shipment.context, common.step
    if _latest.compiled is None or _latest.compiled[0].context is not context:
        compiler = PipelineCompiler(common.adapter, context, common.guard)
        _latest.compiled = compiler, Schedule(Pipeline("any", (step,), step.path))
    compiler, schedule = _latest.compiled
    hooks = Instrumentor(())
    hooks.collects_statistics = common.collects
    emit: Any = list[Any]().append if common.renders else None  # it is reported over there
    run: RunFacts = common.run_class(
        compiler, hooks, emit, options=common.options, strategy=Sequential()
    )
    with running_on(common.adapter, context):
        level = run.start_share(schedule, step, shipment.ops)
        with Fence(level):
            done = list(work_off(run, level.tasks))
    return done, run.plans.matched
