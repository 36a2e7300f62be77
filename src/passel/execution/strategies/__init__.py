"""Strategies: how siblings share the work of a nested pipeline."""

from passel.execution.strategies.base import Sequential, SiblingStrategy, SiblingWork
from passel.execution.strategies.forked import Forked
from passel.execution.strategies.selection import strategy_for
from passel.execution.strategies.threads import Threads

__all__ = [
    "Forked",
    "Sequential",
    "SiblingStrategy",
    "SiblingWork",
    "Threads",
    "strategy_for",
]
