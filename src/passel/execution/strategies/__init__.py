"""Strategies: how siblings share the work of a nested pipeline.

What shares work is in modules of its own, which are loaded when it is asked for.
"""

from passel.execution.strategies.base import Sequential, processors
from passel.execution.strategies.child_run import SiblingStrategy
from passel.execution.strategies.selection import Jobs, own_threads, strategy_for

__all__ = [
    "Jobs",
    "Sequential",
    "SiblingStrategy",
    "own_threads",
    "processors",
    "strategy_for",
]
