"""Runs of pipelines: steps on ops, their outcomes, and strategies for sibling ops."""

from passel.execution.options import PassGate, RunOptions, VerifyEach
from passel.execution.run import Run
from passel.passes.outcome import Outcome

__all__ = ["Outcome", "PassGate", "Run", "RunOptions", "VerifyEach"]
