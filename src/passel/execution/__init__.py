"""Execution of pipelines on ops, sequentially or on workers."""

from passel.execution.loop import PassGate
from passel.execution.run import Run

__all__ = ["PassGate", "Run"]
