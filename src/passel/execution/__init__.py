"""Runs: steps on ops, their outcomes, and around them how sibling ops share the work."""

from passel.execution.fusion import FusedFailure, Inside
from passel.execution.outcome import Outcome
from passel.execution.run import Run
from passel.execution.services import Checks, PassGate, VerifyEach

__all__ = [
    "Checks",
    "FusedFailure",
    "Inside",
    "Outcome",
    "PassGate",
    "Run",
    "VerifyEach",
]
