"""Pass managers: building pipelines in Python or from text, and running pipelines."""

from passel.manager.pass_manager import PassManager, RunResult
from passel.manager.reproducing import load_reproducer
from passel.passes.op_pass_manager import BarePipeline, Nesting, OpPassManager

__all__ = [
    "BarePipeline",
    "Nesting",
    "OpPassManager",
    "PassManager",
    "RunResult",
    "load_reproducer",
]
