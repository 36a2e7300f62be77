"""Whether a run may be shared out though nobody has asked for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.execution.strategies import Sequential
from passel.manager.op_pass_manager import OpPassManager
from passel.passes.walking import walk

if TYPE_CHECKING:
    from passel.execution.strategies import SiblingStrategy
    from passel.instruments.hooks import Instrumentor
    from passel.ir import IRAdapter


def suited(
    strategy: SiblingStrategy,
    manager: OpPassManager,
    hooks: Instrumentor,
    adapter: IRAdapter,
    op: Any,
) -> SiblingStrategy:
    """Return the strategy, or one after the other if it is unasked and somebody could tell.

    Nobody can if the passes of all nested pipelines say `can_fork = True`, if the ops run no code
    that may keep state of its own, and if nothing observes
    steps: what an observer writes would come before diagnostics, which wait for their turn.
    """
    if not is_unasked(strategy):
        return strategy
    nested = (each for each in manager if isinstance(each, OpPassManager))
    if hooks.sees_steps or not all(map(leaves_unasked, nested)):
        return Sequential()
    return strategy if adapter.is_known_code(op) else Sequential()


def is_unasked(strategy: SiblingStrategy) -> bool:
    """Return whether nobody has asked for a strategy; only workers of this machine come so."""
    return getattr(strategy, "unasked", False)


def leaves_unasked(manager: OpPassManager) -> bool:
    """Return whether all passes of a pipeline say that they can be run by any process."""
    return all(visit.pass_.contract.forks_unasked for visit in walk(manager))
