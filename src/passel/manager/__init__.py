"""Pass managers: building pipelines in Python or from text, and running pipelines."""

from passel.manager.pass_manager import PassManager, RunResult
from passel.manager.reproducing import load_reproducer

__all__ = ["PassManager", "RunResult", "load_reproducer"]
