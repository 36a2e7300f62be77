"""Pass managers: building pipelines in Python or from text, and running them."""

from passel.manager.combinators import BarePipeline, CompositeFixedPoint
from passel.manager.op_pass_manager import FrozenPipeline, Nesting, OpPassManager
from passel.manager.pass_manager import PassManager
from passel.manager.reproducing import ReproducerCase, load_reproducer
from passel.manager.run_result import RunResult

__all__ = [
    "BarePipeline",
    "CompositeFixedPoint",
    "FrozenPipeline",
    "Nesting",
    "OpPassManager",
    "PassManager",
    "ReproducerCase",
    "RunResult",
    "load_reproducer",
]
