"""For tests of passes, instrumentations and adapters: a toy IR, and a recorder of hooks."""

from passel.testing.recorder import EventRecorder, FullEventRecorder
from passel.testing.toy import Callable_, ToyAdapter, ToyOp, parse_toy

__all__ = [
    "Callable_",
    "EventRecorder",
    "FullEventRecorder",
    "ToyAdapter",
    "ToyOp",
    "parse_toy",
]
