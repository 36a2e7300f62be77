"""Instrumentation of runs: hooks, and the object that represents a run in hooks."""

from passel.hooks.instrumentation import Ended, PassInstrumentation
from passel.hooks.instrumentor import Bracket, Instrumentor
from passel.hooks.observed_run import OpIdentity, Reports, Run

__all__ = [
    "Bracket",
    "Ended",
    "Instrumentor",
    "OpIdentity",
    "PassInstrumentation",
    "Reports",
    "Run",
]
