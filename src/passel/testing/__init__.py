"""Tools for testing passes, instrumentations and adapters.

The tools include a toy IR and the tests of the adapter contract. The extra `passel[testing]`
installs pytest and filecheck. pytest collects subclasses of `AdapterContract`, and passel's pytest
plugin provides the fixture `check_passes`.
"""

from passel.testing.contract import AdapterContract
from passel.testing.runs import PassesRun, check_passes, run_passes
from passel.testing.sample import Node
from passel.testing.toy import Callable_, ToyAdapter, ToyOp, parse_toy

__all__ = [
    "AdapterContract",
    "Callable_",
    "Node",
    "PassesRun",
    "ToyAdapter",
    "ToyOp",
    "check_passes",
    "parse_toy",
    "run_passes",
]
