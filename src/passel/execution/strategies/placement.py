"""Where the ops of a nested step may be processed, and why not elsewhere."""

from __future__ import annotations

from contextvars import ContextVar
from enum import Enum
from typing import TYPE_CHECKING

from passel.ir import LocksContexts, SendsOps, ShipsOps, ability_of
from passel.passes.walking import walk
from passel.schedule import passes_in

if TYPE_CHECKING:
    from passel.execution.services import RunServices
    from passel.schedule import NestedStep


at_work: ContextVar[bool] = ContextVar("at_work", default=False)
"""Whether this thread or process does tasks for a strategy, and so shares none of its own."""


class Place(Enum):
    """Where siblings are processed."""

    HERE = "this thread"
    THREADS = "threads"
    COPIES = "forked copies of this process"
    PROCESSES = "processes that know nothing of the run"


def obstacle_to(place: Place, step: NestedStep, services: RunServices) -> str:
    """Return why the ops of a step are not processed in a place; empty if they may be."""
    adapter, options, is_thread = services.adapter, services.options, place is Place.THREADS
    needed = ShipsOps if place is Place.PROCESSES else SendsOps
    only = f"in one {'thread' if is_thread else 'process'} only"
    if is_thread and ability_of(adapter, LocksContexts) is not None:
        return f"contexts of {adapter.name} are for one of Python's threads at a time"
    if not is_thread and ability_of(adapter, needed) is None:
        return f"Python passes on ops of {adapter.name} run in one process only"
    if place is Place.PROCESSES and services.hooks.sees_steps:
        return f"a run is observed {only}"
    if bound := services.hooks.bound_here():
        return f"{' and '.join(bound)} can observe passes {only}"
    if services.gates:
        return f"gates are asked {only}"
    if options.isolation:
        return f"the isolation check is done {only}"
    # Which dialects passes have brought is known where they run.
    if options.analyses and (place is not Place.COPIES or services.dialects is not None):
        return f"analyses are verified {only}"
    declared = "can_thread" if is_thread else "can_fork"
    for each in passes_in(step):
        if not getattr(each.pass_.contract, declared):
            return f"pass '{each.pass_.name or each.pass_.display_name}' runs {only}"
    return ""


def is_declared(step: NestedStep, services: RunServices) -> bool:
    """Return whether all passes of a step declare that they change nothing but their ops.

    Then a change of an op before its turn is taken for one of the first pass on it.
    """
    known = services.declared.get(step)
    if known is None:
        contracts = (visit.pass_.contract for each in passes_in(step) for visit in walk(each.pass_))
        known = not services.options.isolation and all(each.keeps_to_op for each in contracts)
        services.declared[step] = known
    return known
