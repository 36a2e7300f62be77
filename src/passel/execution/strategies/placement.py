"""Where the ops of a nested step may be processed, and why they may not be elsewhere."""

from __future__ import annotations

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
        automatic: Why they are shared out only on request; empty if by `jobs="auto"` as well.
        is_trusted: Whether all passes are trusted to change nothing but their ops.
        parent_may_help: Whether the parent process may run tasks beside its workers.
    """

    obstacles: Mapping[Place, str]
    automatic: str
    is_trusted: bool
    parent_may_help: bool


def placement_of(step: NestedStep, services: RunServices) -> Placement:
    """Return the placement of a nested step in a run."""
    passes = [each.pass_ for each in passes_in(step)]
    contracts = [visit.pass_.contract for each in passes for visit in walk(each)]
    found = {
        place: why
        for place in Place
        if (why := _obstacle(place, services) or _obstacle_of_passes(place, passes))
    }
    automatic, sends_copies = "", ability_of(services.adapter, SendsOps) is None
    if sends_copies:  # forked workers get no more than others then
        found.pop(Place.COPIES, None)
        if why := found.get(Place.PROCESSES):
            found[Place.COPIES] = why
        automatic = f"ops of {services.adapter.name} are copied for workers"
    elif services.hooks.sees_steps:
        automatic = "the run is observed, pass by pass"
    elif not all(each.forks_unasked for each in contracts):
        automatic = "not all passes declare that they change only their ops"
    is_trusted = not services.options.isolation and all(each.stays_inside for each in contracts)
    is_watched = services.options.timeout is not None or services.hooks.sees_steps
    return Placement(
        obstacles=found,
        automatic=automatic,
        is_trusted=is_trusted,
        parent_may_help=is_trusted and not is_watched,
    )


def _obstacle(place: Place, services: RunServices) -> str:
    """Return why a run processes no siblings in a place, whatever its passes; empty if it may."""
    adapter, options, only = services.adapter, services.options, _only(place)
    if place is Place.HERE:
        return ""
    if place is Place.THREADS and ability_of(adapter, LocksContexts) is not None:
        return f"contexts of {adapter.name} are for one of Python's threads at a time"
    can_return = {
        Place.THREADS: True,
        Place.COPIES: ability_of(adapter, SendsOps) is not None,
        Place.PROCESSES: ability_of(adapter, ShipsOps) is not None,
    }
    if not can_return[place]:
        return f"ops of {adapter.name} cannot be sent"
    if bound := services.hooks.bound_here(threads=place is Place.THREADS):
        return f"{' and '.join(bound)} can observe passes {only}"
    if services.gates:
        return f"gates are asked {only}"
    if options.isolation:
        return f"the isolation check is done {only}"
    # Which dialects passes have brought is known where they run.
    if options.analyses and (place is not Place.COPIES or services.dialects is not None):
        return f"analyses are verified {only}"
    return ""


def _obstacle_of_passes(place: Place, passes: list[Pass]) -> str:
    for each in passes:
        may = {
            Place.HERE: True,
            Place.THREADS: each.contract.can_thread,
            Place.COPIES: each.contract.can_fork,
            Place.PROCESSES: each.contract.can_ship,
        }
        if not may[place]:
            return f"pass '{each.name or each.display_name}' runs {_only(place)}"
    return ""


def _only(place: Place) -> str:
    return f"in one {'thread' if place is Place.THREADS else 'process'} only"
