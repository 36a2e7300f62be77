"""Strategies: how siblings share the work of a nested pipeline.

What shares work is in modules of its own, which are loaded when it is asked for.
"""

from passel.execution.strategies.selection import Jobs, own_threads, processors, strategy_for
from passel.execution.strategies.sequential import Sequential, SiblingStrategy

__all__ = [
    "Jobs",
    "Sequential",
    "SiblingStrategy",
    "own_threads",
    "processors",
    "strategy_for",
]
