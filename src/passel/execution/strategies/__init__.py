"""Strategies: how siblings share the work of a nested pipeline."""

from passel.execution.strategies.base import Sequential, SiblingStrategy, SiblingWork
from passel.execution.strategies.forked import Forked, strategy_for

__all__ = ["Forked", "Sequential", "SiblingStrategy", "SiblingWork", "strategy_for"]
