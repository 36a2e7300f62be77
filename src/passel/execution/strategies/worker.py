"""The part of the strategies that runs in workers, each of which runs a share of the tasks.

Workers are threads, forked copies of the main process, or processes of an executor.
"""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from copy import copy
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.diagnostics import brief
from passel.errors import EncodingError
from passel.execution.run import Run
from passel.execution.siblings import Siblings
from passel.execution.strategies import Sequential, at_work
from passel.execution.strategies.fork_map import set_mark
from passel.hooks import Bracket, Instrumentor
from passel.ir import running_on
from passel.passes import PassContext
from passel.schedule import Pipeline, PipelineCompiler, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from passel.execution.options import RunOptions
    from passel.ir import SendsOps
    from passel.passes.outcome import Outcome
    from passel.passes.reachable import EffectsGuard
    from passel.schedule import NestedStep, Step


def branch(run: Run, tasks: Sequence[PassContext[Any]]) -> tuple[Run, Any]:
    """Return a copy of a run for a worker's tasks, and the worker's instrumentations."""
    other = copy(run)
    hooks, parts = run.hooks.branch()
    other.hooks, other.reports = hooks, run.reports.branch()
    other.strategy, hooks.run = Sequential(), other
    for task in tasks:
        task.run = other
        if task.cached is not None:  # enclosing passes have requested analyses of this op
            task.cached.compute_by(other.compute)
    return other, parts


# -- Worker processes -----------------------------------------------------------------------------


class Answer(NamedTuple):
    """The answer of a worker to a share of the tasks.

    Attributes:
        done: A pair for each task: the outcome, and the encoded changes to the task's op, which are
            None if the worker has changed the op itself. If the worker has run no task, the
            sequence is empty.
        parts: The instrumentations that observed the worker's tasks, created by
            `PassInstrumentation.split`.
        lost: The indices, within the share, of the tasks that failed because the worker died.
        how: A phrase that says how the worker ended, such as `was killed by SIGSEGV`.
        at: The Python `id` of the last step that the worker started; 0 if unknown.
        refused: The reason why the worker rejected the share. If the text is empty, the worker
            accepted the share, or rejected it without a reason that the user should know.
    """

    done: Sequence[tuple[Outcome, bytes | None]] = ()
    parts: Any = ()
    lost: Sequence[int] = ()
    how: str = ""
    at: int = 0
    refused: str = ""


def _run_tasks(siblings: Siblings, tasks: Sequence[Any]) -> Iterator[tuple[Outcome, bytes]]:
    """Run tasks, and yield each outcome with the encoded changes of the task's op.

    Raises:
        EncodingError: If the changes of an op cannot be encoded.
    """
    sends = cast("SendsOps", siblings.ctx.adapter)
    for task in tasks:
        noted = sends.note(task.op)
        outcome = siblings.run_task(task)
        # Changes that fingerprints ignore, such as new value names, are sent back too.
        is_same = outcome.changed is False and not outcome.failures and noted is None
        yield outcome, b"" if is_same else sends.encode_changes(task.op, noted)


@contextmanager
def _only_own_ops(siblings: Siblings) -> Generator[None]:
    """Raise an `EncodingError` if passes in the `with` block changed ops other than their own.

    The main process then repeats the work of the worker.

    Args:
        siblings: The ops among which are those that the worker processes.
    """
    siblings.track_all()
    yield
    if not siblings.is_intact():
        # The main process reports the error.
        raise EncodingError("passes changed ops that they did not run on")


# -- Forked processes -----------------------------------------------------------------------------


@contextmanager
def in_fork(run: Run, siblings: Siblings) -> Generator[Callable[[Sequence[Any]], Answer]]:
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
            for each in _run_tasks(siblings, share):
                done.append(each)
                set_mark(len(done))
        return Answer(done, parts)

    with _only_own_ops(siblings):
        yield do


# -- Processes of an executor ---------------------------------------------------------------------


class Facts(NamedTuple):
    """The data that a worker of an executor needs about a run."""

    adapter: Any
    step: NestedStep
    options: RunOptions
    guard: EffectsGuard | None
    renders: bool
    collects: bool


@lru_cache(8)  # shares of one run usually follow each other
def _facts_of(pickled: bytes, thread: int) -> Facts:  # noqa: ARG001 - threads share no steps
    return pickle.loads(pickled)  # noqa: S301 - the main process wrote it


def do_share(pickled: bytes, ops: bytes) -> bytes:
    """Run the tasks of a share in a worker, and return the pickled answer.

    Args:
        pickled: The pickled `Facts` about the run.
        ops: The ops of the share, encoded by the adapter's method `ship`.
    """
    token = at_work.set(True)
    try:
        answer = _do(ops, _facts_of(pickled, get_ident()))
        return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    except EncodingError as error:
        return pickle.dumps(Answer(refused=str(error)))
    except Exception as error:  # noqa: BLE001 - a missing module may raise any exception
        return pickle.dumps(Answer(refused=brief(error)))
    except BaseException:  # noqa: BLE001 - the main process repeats the interrupt of the pass
        return pickle.dumps(Answer())
    finally:
        at_work.reset(token)


def _do(data: bytes, facts: Facts) -> Answer:
    """Decode the ops of a share, and run the pipelines of the step on them.

    The ops are copies inside a copy of their parent op.

    Raises:
        EncodingError: If a pass cannot be initialized. The main process reports the failure.
    """
    adapter, step = facts.adapter, facts.step
    context, ops = adapter.receive(data)
    hooks = Instrumentor(())
    hooks.collects_statistics = facts.collects
    emit: Any = list[Any]().append if facts.renders else None  # reported by the main process
    compiler = PipelineCompiler(adapter, context, facts.guard)
    run = Run(compiler, hooks, emit, options=facts.options, strategy=Sequential())
    run.op = parent = adapter.parent(ops[0])
    run.pipeline = pipeline = Pipeline("any", (step,), step.path)
    hooks.run, run.reports.is_held = run, True
    with running_on(adapter, context):
        if run.ensure_initialized(pipeline, parent).failures:
            raise EncodingError
        ctx = PassContext(run, parent, run.place_of(parent), None)
        ctx.siblings = siblings = Siblings(step, ctx)
        wanted = set(map(run.adapter.identity_of, ops))
        siblings.tasks = [each for each in siblings.tasks if adapter.identity_of(each.op) in wanted]
        with _only_own_ops(siblings):
            done = list(_run_tasks(siblings, siblings.tasks))
    return Answer(done)
