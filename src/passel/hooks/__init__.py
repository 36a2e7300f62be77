"""Hooks: how a run is observed without taking part in it."""

from passel.hooks.instrumentation import Around, Ended, Measured, PassInstrumentation, Run
from passel.hooks.instrumentor import Bracket, Instrumentor
from passel.hooks.replay import OpIdentity

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
