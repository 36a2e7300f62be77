"""Execution of pipelines on ops, sequentially or on workers."""

from passel.execution.loop import PassGate
from passel.execution.run import Run
from passel.passes.outcome import Outcome

__all__ = ["Outcome", "PassGate", "Run"]
