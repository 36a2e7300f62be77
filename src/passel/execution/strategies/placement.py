"""Where the ops of a nested step may be processed, and why they may not be elsewhere."""

from __future__ import annotations

from contextvars import ContextVar
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from passel.ir import LocksContexts, SendsOps, ShipsOps, ability_of
from passel.passes.walking import walk
from passel.schedule import passes_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.execution.services import RunServices
    from passel.passes import Pass
    from passel.schedule import NestedStep


at_work: ContextVar[bool] = ContextVar("at_work", default=False)
"""Whether this thread or process does tasks for a strategy, and so shares none of its own."""


class Place(Enum):
    """Where siblings are processed."""

    HERE = "this thread"
    THREADS = "threads"
    COPIES = "forked copies of this process"
    PROCESSES = "processes that know nothing of the run"


class Placement(NamedTuple):
    """Where the ops of one nested step may be processed.

    Attributes:
        obstacles: Why they may not be, by place; no entry where they may.
        is_declared: Whether all passes declare that they change nothing but their ops. Then a
            change of an op before its turn is taken for one of the first pass on it.
    """

    obstacles: Mapping[Place, str]
    is_declared: bool


def placement_of(step: NestedStep, services: RunServices) -> Placement:
    """Return the placement of a nested step in a run, found out once."""
    known = services.placements.get(step)
    if known is None:
        known = services.placements[step] = _find_placement(step, services)
    return known


def _find_placement(step: NestedStep, services: RunServices) -> Placement:
    passes = [each.pass_ for each in passes_in(step)]
    contracts = [visit.pass_.contract for each in passes for visit in walk(each)]
    is_declared = all(each.is_automatic for each in contracts)
    sends_copies = ability_of(services.adapter, SendsOps) is None
    # Where ops are sent as copies, forked workers get no more than others.
    ways = {
        Place.THREADS: Place.THREADS,
        Place.COPIES: Place.PROCESSES if sends_copies else Place.COPIES,
        Place.PROCESSES: Place.PROCESSES,
    }
    return Placement(
        obstacles={
            place: why for place, way in ways.items() if (why := _why_not(way, passes, services))
        },
        is_declared=is_declared and not services.options.isolation,
    )


def _why_not(place: Place, passes: list[Pass], services: RunServices) -> str:
    """Return why ops that passes run on are not processed in a place; empty if they may be."""
    adapter, options, is_thread = services.adapter, services.options, place is Place.THREADS
    only = f"in one {'thread' if is_thread else 'process'} only"
    why = ""
    if is_thread and ability_of(adapter, LocksContexts) is not None:
        why = f"contexts of {adapter.name} are for one of Python's threads at a time"
    elif place is Place.PROCESSES and ability_of(adapter, ShipsOps) is None:
        why = f"ops of {adapter.name} cannot be sent"
    elif bound := services.hooks.bound_here():
        why = f"{' and '.join(bound)} can observe passes {only}"
    elif services.gates:
        why = f"gates are asked {only}"
    elif options.isolation:
        why = f"the isolation check is done {only}"
    # Which dialects passes have brought is known where they run.
    elif options.analyses and (place is not Place.COPIES or services.dialects is not None):
        why = f"analyses are verified {only}"
    declared = "can_thread" if is_thread else "can_fork"
    barred = next((each for each in passes if not getattr(each.contract, declared)), None)
    if barred is not None and not why:
        why = f"pass '{barred.name or barred.display_name}' runs {only}"
    return why
