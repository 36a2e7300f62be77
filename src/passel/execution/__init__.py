"""Runs: steps on ops, their outcomes, and how sibling ops share the work."""

from passel.execution.fused_failure import FusedFailure, Inside
from passel.execution.options import PassGate, RunOptions, VerifyEach
from passel.execution.outcome import Outcome
from passel.execution.run import Run

__all__ = [
    "FusedFailure",
    "Inside",
    "Outcome",
    "PassGate",
    "Run",
    "RunOptions",
    "VerifyEach",
]
