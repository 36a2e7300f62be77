"""Pass managers: building pipelines in Python or from text, and running pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.manager.pass_manager import PassManager, RunResult
from passel.manager.reproducing import ReproducerCase, load_reproducer
from passel.passes.op_pass_manager import Nesting, OpPassManager

if TYPE_CHECKING:
    from passel.manager.combinators import BarePipeline, CompositeFixedPoint

__all__ = [
    "BarePipeline",
    "CompositeFixedPoint",
    "Nesting",
    "OpPassManager",
    "PassManager",
    "ReproducerCase",
    "RunResult",
    "load_reproducer",
]


def __getattr__(name: str) -> object:
    """Import a combinator at its first access."""
    if name in __all__:
        from passel.manager import combinators  # noqa: PLC0415 - loaded on first access

        return getattr(combinators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
