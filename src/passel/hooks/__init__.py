"""Hooks: how a run is observed without taking part in it."""

from passel.hooks.instrumentation import Ended, OpIdentity, PassInstrumentation, Run
from passel.hooks.instrumentor import Bracket, Instrumentor

__all__ = [
    "Bracket",
    "Ended",
    "Instrumentor",
    "OpIdentity",
    "PassInstrumentation",
    "Run",
]
