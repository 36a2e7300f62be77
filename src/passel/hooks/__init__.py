"""Instrumentation: the hooks of a run, and the class of runs that hooks observe."""

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
