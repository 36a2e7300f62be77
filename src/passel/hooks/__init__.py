"""Hooks: how a run is observed without taking part in it."""

from passel.hooks.identity import OpIdentity
from passel.hooks.instrumentation import Around, Ended, Measured, PassInstrumentation, Run
from passel.hooks.instrumentor import Bracket, Instrumentor

__all__ = [
    "Around",
    "Bracket",
    "Ended",
    "Instrumentor",
    "Measured",
    "OpIdentity",
    "PassInstrumentation",
    "Run",
]
