"""The strategies that use executors: threads of this process, or processes on any machine."""

from __future__ import annotations

import pickle
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from itertools import repeat
from threading import Event
from typing import TYPE_CHECKING, Any

from passel.diagnostics import brief, log_warning_once
from passel.errors import EncodingError
from passel.execution.run import Run
from passel.execution.siblings import Siblings
from passel.execution.strategies import Sequential, in_worker
from passel.execution.strategies.distribution import Answer, Distribution, branch, run_tasks
from passel.hooks import Instrumentor
from passel.hooks.instrumentor import Bracket
from passel.ir import ShipsOps, running_on
from passel.passes import PassContext
from passel.schedule import Pipeline
from passel.schedule.compiler import PipelineCompiler

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from passel.passes.outcome import Outcome


class Threads(Distribution):
    """The strategy that runs tasks on threads, if all passes and instrumentations allow threads.

    Threads save time only if passes release Python's global lock, as native code can, or if Python
    has no global lock. Each thread has its own instrumentations, whose observations are merged in
    program order. After an interrupt, each thread finishes the pipeline on its current op.
    """

    workers = "threads"
    declared = "can_thread"

    def rejection(self, run: Run, siblings: Siblings) -> str:
        """Return the reason why workers cannot run the tasks, or an empty string if they can."""
        if not run.adapter.allows_threads:
            return f"contexts of {run.adapter.name} can be used by only one Python thread at a time"
        return super().rejection(run, siblings)

    def answers(
        self, run: Run, siblings: Siblings, shares: Sequence[Sequence[Any]], jobs: int, /
    ) -> Generator[Answer]:
        """Yield a thread's answer for each share of the tasks, in the order of the shares."""
        siblings.last = -1  # from now on, pipelines may be running
        _ = siblings.ctx.analyses  # created here, so that no two threads create the manager
        branches = [branch(run, share) for share in shares]
        pool, ended = self._executor or ThreadPoolExecutor(jobs, "passel"), Event()
        futures: list[Future[list[tuple[Outcome, None]]]] = []
        try:
            # After an interrupt, the list has the futures so far.
            futures.extend(
                pool.submit(copy_context().run, _run_on_thread, part, siblings, share, ended)
                for (part, _), share in zip(branches, shares, strict=True)
            )
            for (_, parts), future in zip(branches, futures, strict=True):
                yield Answer(future.result(), parts)
        finally:
            ended.set()
            for future in futures:
                future.cancel()
            wait(futures)
            for part, _ in branches:
                run.interrupted += part.interrupted
            if pool is not self._executor:
                pool.shutdown()


def _run_on_thread(
    part: Run, siblings: Siblings, tasks: Sequence[Any], ended: Event
) -> list[tuple[Outcome, None]]:
    """Run tasks in program order, and skip the remaining tasks once `ended` is set."""
    in_worker.set(True)  # in the copy of the context
    with part.adapter.in_context(part.ir_context), Bracket(part.hooks, "run", part):
        return [(siblings.run_task(task), None) for task in tasks if not ended.is_set()]


class OnExecutor(Distribution):
    """The strategy that runs tasks in the processes of an executor.

    Each worker receives the pickled pipelines and a share of the ops, and returns the outcomes and
    the changes to the ops. The main process runs the tasks that workers reject. If a worker dies,
    all tasks of its current share fail. The workers of the executor must be able to import passel,
    the package of the IR, and the modules of the passes.
    """

    workers = "the executor"

    def rejection(self, run: Run, siblings: Siblings) -> str:
        """Return the reason why workers cannot run the tasks, or an empty string if they can."""
        if not isinstance(run.adapter, ShipsOps):
            return f"the adapter for '{run.adapter.name}' does not implement ShipsOps"
        if run.hooks.sees_steps:
            return "instrumentations can observe passes only in the calling thread"
        if siblings.ctx.cached is not None and siblings.ctx.cached.has_any_in_tree():
            return "analyses of the enclosing ops are cached in this process"
        return super().rejection(run, siblings)

    def answers(
        self, run: Run, siblings: Siblings, shares: Sequence[Sequence[Any]], _: int, /
    ) -> Generator[Answer]:
        """Yield a worker's answer for each share of the tasks, in the order of the shares."""
        asked = run.compiler.guard, run.reports.emit is not None, run.hooks.collects_statistics
        try:
            facts = pickle.dumps((run.adapter, siblings.step, run.verify_each, run.remarks, *asked))
        except Exception as error:  # noqa: BLE001 - what is pickled raises what it likes
            log_warning_once(f"not using {self.workers}: {brief(error)}")
            yield from repeat(Answer(), len(shares))
            return
        sent: list[Future[bytes]] = []
        try:
            sent.extend(self._send(run, facts, share) for share in shares)
            yield from map(_answer, sent, map(len, shares))
        finally:
            for future in sent:
                future.cancel()
            # After an interrupt: work that a process of a pool has begun cannot be cancelled.
            if any(future.running() for future in sent):
                processes: Any = getattr(self._executor, "_processes", None) or {}
                for process in [*processes.values()]:
                    process.terminate()

    def _send(self, run: Run, facts: bytes, share: Sequence[Any]) -> Future[bytes]:
        """Submit a share, and return a future for the pickled answer or for an exception."""
        ships: Any = run.adapter
        try:
            ops = ships.ship([task.op for task in share], run.ir_context)
            return self._executor.submit(_do_share, facts, ops)
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


def _do_share(facts: bytes, ops: bytes) -> bytes:
    """Run the tasks of a share in a worker, and return the pickled answer.

    Args:
        facts: The pickled facts about the run, which `OnExecutor.answers` collects.
        ops: The ops of the share, encoded by the adapter's method `ship`.
    """
    token = in_worker.set(True)
    try:
        return pickle.dumps(_do(facts, ops), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - a missing module may raise any exception
        why = str(error) if isinstance(error, EncodingError) else brief(error)
        return pickle.dumps(Answer(refused=why))
    except BaseException:  # noqa: BLE001 - the main process repeats the interrupt of the pass
        return pickle.dumps(Answer())
    finally:
        in_worker.reset(token)


def _do(facts: bytes, data: bytes) -> Answer:
    """Decode the ops of a share, and run the pipelines of the step on them.

    The ops are copies inside a copy of their parent op.

    Raises:
        EncodingError: If the ops cannot be decoded or their changes cannot be encoded, or if passes
            changed ops that they did not run on.
    """
    known: Any = pickle.loads(facts)  # noqa: S301 - the main process wrote them
    adapter, step, verify, remarks, guard, renders, collects = known
    context, ops = adapter.receive(data)
    hooks = Instrumentor()
    hooks.collects_statistics = collects
    compiler = PipelineCompiler(adapter, context, guard)
    run = Run(compiler, hooks, verify=verify, remarks=remarks, strategy=Sequential())
    run.op = parent = adapter.parent(ops[0])
    run.pipeline = pipeline = Pipeline("any", (step,), step.path, None, None)
    hooks.run = run
    run.reports.emit = (lambda _: None) if renders else None  # the main process reports
    with running_on(adapter, context):
        if run.ensure_initialized(pipeline, parent).failures:
            return Answer()  # the main process reports the failure
        ctx = PassContext(run, parent, None)
        ctx.siblings = siblings = Siblings(step, ctx)
        wanted = set(map(run.adapter.identity_of, ops))
        siblings.tasks = [each for each in siblings.tasks if adapter.identity_of(each.op) in wanted]
        with siblings.only_own_ops():
            return Answer(list(run_tasks(siblings, siblings.tasks)))
