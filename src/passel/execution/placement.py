"""Where the ops of a nested step may be processed, and why they may not be elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.execution.strategies.place import Place, Placement
from passel.ir import LocksContexts, SendsOps, ShipsOps, ability_of
from passel.passes.walking import walk
from passel.schedule import passes_in

if TYPE_CHECKING:
    from passel.execution.services import RunServices
    from passel.passes import Pass
    from passel.schedule import NestedStep


def placement_of(step: NestedStep, services: RunServices) -> Placement:
    """Return the placement of a nested step in a run."""
    passes = [each.pass_ for each in passes_in(step)]
    visits = [visit for each in passes for visit in walk(each)]
    found = {
        place: why
        for place in Place
        if (why := obstacle(place, services) or _obstacle_of_passes(place, passes))
    }
    declared = all(visit.pass_.contract.forks_unasked for visit in visits)
    automatic = "" if declared else "not all passes declare that they change only their ops"
    if services.hooks.sees_steps:
        automatic = "the run is observed, pass by pass"
    is_watched = services.options.timeout is not None or services.hooks.sees_steps
    return Placement(
        obstacles=found,
        automatic=automatic,
        parent_may_help=is_trusted(step, services) and not is_watched,
        is_native=not any(each.contract.can_fork for each in passes),
    )


def is_trusted(step: NestedStep, services: RunServices) -> bool:
    """Return whether all passes of a step are trusted to change nothing but their ops."""
    return not services.options.isolation and all(
        visit.pass_.contract.stays_inside for each in passes_in(step) for visit in walk(each.pass_)
    )


def obstacle(place: Place, services: RunServices) -> str:
    """Return why a run processes no siblings in a place, whatever its passes; empty if it may."""
    adapter, options, threads = services.adapter, services.options, place is Place.THREADS
    if place is Place.HERE:
        return ""
    if threads and ability_of(adapter, LocksContexts) is not None:
        return f"contexts of {adapter.name} are for one of Python's threads at a time"
    can_return = {
        Place.THREADS: True,
        Place.COPIES: ability_of(adapter, SendsOps) is not None,
        Place.PROCESSES: ability_of(adapter, ShipsOps) is not None,
    }
    if not can_return[place]:
        return f"ops of {adapter.name} cannot be sent"
    only = f"in one {'thread' if threads else 'process'} only"
    if bound := services.hooks.bound_here(threads=threads):
        return f"{' and '.join(bound)} can observe passes {only}"
    if services.gates:
        return f"gates are asked {only}"
    if options.isolation:
        return f"the isolation check is done {only}"
    if options.analyses and place is not Place.COPIES:
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
            return f"pass '{each.name or each.display_name}' declares that it may not run there"
    return ""
