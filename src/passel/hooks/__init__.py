"""Hooks: how a run is observed without taking part in it."""

from passel.hooks.instrumentation import PassInstrumentation, Run
from passel.hooks.instrumentor import Bracket, Instrumentor

__all__ = ["Bracket", "Instrumentor", "PassInstrumentation", "Run"]
