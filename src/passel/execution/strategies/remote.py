"""Shares of siblings, done in a process that knows nothing of the run."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
from contextlib import nullcontext, suppress
from functools import cache
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from passel.diagnostics import brief
from passel.errors import EncodingError, PasselError
from passel.execution.strategies.base import Sequential, at_work
from passel.execution.strategies.parcels import Assignment, MissingAnalyses, Parcel, Refusal
from passel.execution.strategies.results import Result
from passel.execution.strategies.workers import read_message, write_message
from passel.hooks import Instrumentor
from passel.ir import LocksContexts, ability_of, running_on
from passel.passes import default_registry
from passel.passes.plugins import import_plugin, named_passes_in
from passel.schedule import Pipeline, PipelineCompiler, Schedule

if TYPE_CHECKING:
    from passel.diagnostics import Diagnostic

_MOST_WORKERS = 4

_IMPORTED_BY = os.getpid()
"""The process that has imported this module, of which this one may be a copy."""


def do_parcel(data: bytes) -> bytes:
    """Do the tasks of a parcel, and return a pickled `Result` or `Refusal`.

    Called by workers of executors. It never raises but for an interrupt.
    """
    token, process = at_work.set(True), os.getpid()
    _keep_inherited()
    try:
        answer = pickle.dumps(_worked_off(data), pickle.HIGHEST_PROTOCOL)
        if os.getpid() != process:
            os._exit(0)  # a child that a pass has forked and let return
        return answer
    except Exception as error:  # noqa: BLE001 - then it is done where it came from
        return pickle.dumps(Refusal(f"its result cannot be sent: {brief(error)}"))
    finally:
        at_work.reset(token)


@cache
def _keep_inherited() -> None:
    """Leave objects to this process that it has as a copy of another.

    Some cannot be collected here: destructors of MLIR's contexts wait for threads of the other.
    """
    if os.getpid() != _IMPORTED_BY:
        gc.freeze()


def _worked_off(data: bytes) -> Result | Refusal:
    # An executor's user has to trust its workers, and the other way round.
    assignment, body = pickle.loads(data)  # noqa: S301
    try:
        worker = _worker_for(assignment)
        if isinstance(worker, Refusal):
            return worker
        parcel: Parcel = pickle.loads(body)  # noqa: S301
    except Exception as error:  # noqa: BLE001 - modules that are not there raise what they like
        return Refusal(f"it cannot load the passes: {brief(error)}")
    try:
        return worker.do(parcel)
    except EncodingError as error:
        return Refusal(str(error))


class _WorkersOfThread(threading.local):
    """The workers of this thread, by their assignments: contexts are not for several threads."""

    def __init__(self) -> None:
        self.known: dict[bytes, _Worker] = {}


_workers = _WorkersOfThread()


def _worker_for(assignment: bytes) -> _Worker | Refusal:
    known = _workers.known
    if assignment not in known:
        versions, adapter, rest = pickle.loads(assignment)  # noqa: S301
        difference = versions.difference_here(lambda: pickle.loads(adapter))  # noqa: S301
        if difference:
            return Refusal(difference)
        while len(known) >= _MOST_WORKERS:
            del known[next(iter(known))]
        known[assignment] = _Worker(pickle.loads(rest))  # noqa: S301
    return known[assignment]


class _Worker:
    """Does the parcels of one assignment."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._compiled: tuple[PipelineCompiler, Schedule] | None = None

    def do(self, parcel: Parcel) -> Result | Refusal:
        """Do the tasks of a parcel."""
        run_class, adapter, step, options, renders, collects, repeats = self._assignment
        ships: Any = adapter
        shipment = ships.receive(parcel.ops)
        compiler, schedule = self._schedule(shipment.context)
        hooks = Instrumentor(parcel.parts)
        hooks.collects_statistics = collects
        emit = _ignore if renders else None
        run = run_class(compiler, hooks, emit, options=options, strategy=Sequential())
        locks = ability_of(adapter, LocksContexts)
        alone = nullcontext() if locks is None else locks.lock_of(shipment.context)
        with alone, running_on(adapter, shipment.context):
            run.repeats_failures = repeats
            done = run.do_share(
                schedule, step, shipment, parcel.ordinals, MissingAnalyses(parcel.missing)
            )
        return Refusal("") if done is None else Result(done, parcel.parts)

    def _schedule(self, context: Any) -> tuple[PipelineCompiler, Schedule]:
        """Return the step as a schedule, whose passes are initialized once for a context."""
        if self._compiled is None or self._compiled[0].context is not context:
            step = self._assignment.step
            compiler = PipelineCompiler(self._assignment.adapter, context)
            self._compiled = compiler, Schedule(Pipeline("any", (step,), step.path))
        return self._compiled


def _ignore(diagnostic: Diagnostic) -> None:
    """Take no note of a diagnostic, which is reported where the parcel came from."""


def main() -> None:
    """Make calls from the standard input until it ends, and write what they return.

    Its end ends the process at once. The standard output is for results. What passes print goes to
    the file whose number is the first argument; the others are plugins.
    """
    calls: SimpleQueue[bytes] = SimpleQueue()
    source, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - it is no path
        os.dup2(nothing.fileno(), 0)
    os.dup2(int(sys.argv[1]), 1)
    threading.Thread(target=_read_all, args=(source, calls), daemon=True).start()
    for name in sys.argv[2:]:
        with suppress(PasselError):  # then it refuses shares with passes that are in there
            for each in named_passes_in(import_plugin(name)):
                default_registry().register(each, override=True)
    while True:
        function, args, kwargs = pickle.loads(calls.get())  # noqa: S301 - of who started it
        result = function(*args, **kwargs)
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        write_message(results, pickle.dumps(result, pickle.HIGHEST_PROTOCOL))


def _read_all(source: IO[bytes], calls: SimpleQueue[bytes]) -> None:
    while (call := read_message(source)) is not None:
        calls.put(call)
    os._exit(0)
