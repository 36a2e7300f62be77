"""Running schedules: the loop and, around it, how sibling ops share the work."""

from passel.execution.loop import Execution, VerifyEach

__all__ = ["Execution", "VerifyEach"]
