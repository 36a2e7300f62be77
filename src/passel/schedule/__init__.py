"""Schedules: the immutable, compiled form of pass managers."""

from passel.schedule.compiler import PipelineCompiler
from passel.schedule.model import (
    NestedStep,
    PassStep,
    Pipeline,
    Plan,
    Step,
    merged,
    nodes_of,
    passes_of,
)

__all__ = [
    "NestedStep",
    "PassStep",
    "Pipeline",
    "PipelineCompiler",
    "Plan",
    "Step",
    "merged",
    "nodes_of",
    "passes_of",
]
