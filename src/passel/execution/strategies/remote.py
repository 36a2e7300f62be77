"""Shares of siblings, done in a process that knows nothing of the run."""

from __future__ import annotations

import gc
import os
import pickle
import threading
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from passel.diagnostics import brief
from passel.errors import EncodingError
from passel.execution.strategies.base import Sequential
from passel.execution.strategies.parcels import MissingAnalyses, Refusal
from passel.execution.strategies.placement import at_work
from passel.execution.strategies.transport import Result
from passel.execution.strategies.versions import edited_module
from passel.hooks import Instrumentor
from passel.ir import LocksContexts, ability_of, running_on
from passel.schedule import Pipeline, PipelineCompiler, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.diagnostics import Diagnostic
    from passel.execution.outcome import Outcome
    from passel.execution.strategies.parcels import Assignment, Parcel
    from passel.execution.strategies.transport import Packed
    from passel.ir import Shipment

_MOST_WORKERS = 4

_IMPORTED_BY = os.getpid()
"""The process that has imported this module, of which this one may be a copy."""


def do_parcel(data: bytes) -> bytes:
    """Do the tasks of a parcel, and return a pickled `Result` or `Refusal`.

    Called by workers of executors. It never raises but for an interrupt.
    """
    token = at_work.set(True)
    _keep_inherited()
    try:
        return pickle.dumps(_worked_off(data), pickle.HIGHEST_PROTOCOL)
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
        shipment = worker.receive(parcel)
    except EncodingError as error:
        return Refusal(str(error))
    try:
        result = Result(list(worker.do(parcel, shipment)), parcel.parts)
    except EncodingError:
        return Refusal("")
    # Only now is all code loaded that the share needs.
    edited = edited_module()
    return Refusal(f"{edited} has changed since it was imported there") if edited else result


class _WorkersOfThread(threading.local):
    """The workers of this thread, by their assignments: contexts are not for several threads."""

    def __init__(self) -> None:
        self.known: dict[bytes, RemoteWorker] = {}


_workers = _WorkersOfThread()


def _worker_for(assignment: bytes) -> RemoteWorker | Refusal:
    known = _workers.known
    if assignment not in known:
        versions, adapter, rest = pickle.loads(assignment)  # noqa: S301
        difference = versions.difference_here(lambda: pickle.loads(adapter))  # noqa: S301
        if difference:
            return Refusal(difference)
        while len(known) >= _MOST_WORKERS:
            del known[next(iter(known))]
        known[assignment] = RemoteWorker(pickle.loads(rest))  # noqa: S301
    return known[assignment]


class RemoteWorker:
    """Does the parcels of one assignment."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._compiled: tuple[PipelineCompiler, Schedule] | None = None

    def receive(self, parcel: Parcel) -> Shipment:
        """Make ops of the copies in a parcel.

        Raises:
            EncodingError: This process cannot have them.
        """
        ships: Any = self._assignment.adapter
        return ships.receive(parcel.ops)

    def do(self, parcel: Parcel, shipment: Shipment) -> Iterator[tuple[Outcome, Packed]]:
        """Do the tasks of a parcel on what was received; yield the outcome and changes of each.

        Raises:
            EncodingError: They are to be done where the parcel comes from.
        """
        run_class, adapter, step, options, _, renders, collects = self._assignment
        compiler, schedule = self._schedule(shipment.context)
        hooks = Instrumentor(part for part in parcel.parts if part is not None)
        hooks.collects_statistics = collects
        emit = _ignore if renders else None
        run = run_class(compiler, hooks, emit, options=options, strategy=Sequential())
        locks = ability_of(adapter, LocksContexts)
        alone = nullcontext() if locks is None else locks.alone_in(shipment.context)
        with alone, running_on(adapter, shipment.context):
            yield from run.do_share(
                schedule, step, shipment, parcel.identities, MissingAnalyses(parcel.missing)
            )

    def _schedule(self, context: Any) -> tuple[PipelineCompiler, Schedule]:
        """Return the step as a schedule, whose passes are initialized once for a context."""
        if self._compiled is None or self._compiled[0].context is not context:
            _, adapter, step, _, guard, *_ = self._assignment
            compiler = PipelineCompiler(adapter, context, guard)
            self._compiled = compiler, Schedule(Pipeline("any", (step,), step.path))
        return self._compiled


def _ignore(diagnostic: Diagnostic) -> None:
    """Take no note of a diagnostic, which is reported where the parcel came from."""
