"""Instrumentation: the hooks of a run, and the class of the runs that instrumentations observe."""

from passel.hooks.instrumentation import Ended, PassInstrumentation
from passel.hooks.instrumentor import Instrumentor
from passel.hooks.observed_run import ObservedRun, OpIdentity

__all__ = ["Ended", "Instrumentor", "ObservedRun", "OpIdentity", "PassInstrumentation"]
