"""Parcels: shares of siblings for processes that know nothing of the run.

A parcel holds all that such a process needs: the nested step, whose passes are values, the ops
as bytes, and parts of what observes the run. A process with other versions refuses it.
"""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import brief
from passel.errors import EncodingError
from passel.execution.analyses import MissingParentAnalysis
from passel.execution.strategies.versions import Versions
from passel.schedule import passes_in

if TYPE_CHECKING:
    from passel.execution.options import RunOptions
    from passel.hooks import OpIdentity
    from passel.ir import IRAdapter
    from passel.passes.effects_guard import EffectsGuard
    from passel.schedule import NestedStep


class Assignment(NamedTuple):
    """The work that all parcels of a nested step have in common.

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


class Parcel(NamedTuple):
    """Some tasks, for a process that knows nothing of them.

    Attributes:
        ops: The ops, as `ShipsOps.ship` returns them.
        identities: Of each op, with its enclosing ops.
        parts: Parts of what observes the run.
        missing: Kinds of analyses that are cached for the enclosing ops, and stay there.
    """

    ops: bytes
    identities: tuple[tuple[OpIdentity, ...], ...]
    parts: tuple[Any, ...]
    missing: frozenset[Any]


class Refusal(NamedTuple):
    """The answer of a worker that has not done its share.

    Attributes:
        why: Why not; empty if that is not reported.
    """

    why: str


class MissingAnalyses(dict[Any, Any]):
    """Cached analyses of an enclosing op that have not come along.

    Args:
        kinds: Their kinds.
    """

    def __init__(self, kinds: frozenset[Any]) -> None:
        super().__init__()
        self._kinds = kinds

    def get(self, kind: Any, default: Any = None, /) -> Any:
        """Return the default.

        Raises:
            MissingParentAnalysis: There is such an analysis, elsewhere.
        """
        if kind in self._kinds:
            raise MissingParentAnalysis
        return super().get(kind, default)


def pack_assignment(assignment: Assignment) -> bytes:
    """Return an assignment with the versions that it is for, as bytes.

    Raises:
        EncodingError: It holds what no other process has.
    """
    passes = (each.pass_ for each in passes_in(assignment.step))
    versions = Versions.here(assignment.adapter, passes)
    return pickle.dumps((versions, _pickled(assignment.adapter), _pickled(assignment)))


def pack(assignment: bytes, parcel: Parcel) -> bytes:
    """Return a parcel for `do_parcel`.

    Raises:
        EncodingError: It holds what no other process has.
    """
    return pickle.dumps((assignment, _pickled(parcel)), pickle.HIGHEST_PROTOCOL)


class _Pickler(pickle.Pickler):
    """Refuses what other processes cannot import."""

    def reducer_override(self, obj: Any, /) -> Any:
        if getattr(obj, "__module__", None) == "__main__" and hasattr(obj, "__qualname__"):
            msg = f"{obj.__qualname__} is defined in the main program, not in a module"
            raise pickle.PicklingError(msg)
        return NotImplemented


def _pickled(value: object) -> bytes:
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    except Exception as error:
        raise EncodingError(str(error) or brief(error)) from error
    return buffer.getvalue()
