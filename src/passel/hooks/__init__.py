"""Hooks: how a run is observed without taking part in it."""

from passel.hooks.identity import OpIdentity
from passel.hooks.instrumentation import Ended, PassInstrumentation, Run
from passel.hooks.instrumentor import Bracket, Instrumentor

__all__ = [
    "Bracket",
    "Ended",
    "Instrumentor",
    "OpIdentity",
    "PassInstrumentation",
    "Run",
]
