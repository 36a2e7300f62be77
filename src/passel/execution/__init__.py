"""Execution of pipelines on ops, sequentially or on workers, and the options of runs."""

from passel.execution.options import PassGate, RunOptions
from passel.execution.run import Run
from passel.passes.outcome import Outcome

__all__ = ["Outcome", "PassGate", "Run", "RunOptions"]
