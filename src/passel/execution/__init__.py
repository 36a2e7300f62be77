"""Running schedules: the loop and, around it, how sibling ops share the work."""

from passel.execution.failures import FusedFailure, Inside
from passel.execution.loop import Execution, PassGate, VerifyEach

__all__ = ["Execution", "FusedFailure", "Inside", "PassGate", "VerifyEach"]
