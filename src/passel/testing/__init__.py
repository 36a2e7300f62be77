"""For tests of passes, instrumentations and adapters: a toy IR, a recorder of hooks, the contract.

`AdapterContract` is collected by pytest, which the extra `passel[testing]` installs.
"""

from passel.testing.contract import AdapterContract
from passel.testing.program import Node
from passel.testing.recorder import EventRecorder, FullEventRecorder
from passel.testing.toy import Callable_, ToyAdapter, ToyOp, parse_toy

__all__ = [
    "AdapterContract",
    "Callable_",
    "EventRecorder",
    "FullEventRecorder",
    "Node",
    "ToyAdapter",
    "ToyOp",
    "parse_toy",
]
