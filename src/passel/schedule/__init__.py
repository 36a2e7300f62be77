"""Schedules: the immutable form that a pass manager is compiled to, and that is run."""

from passel.schedule.compiler import PipelineCompiler
from passel.schedule.model import (
    NestedStep,
    PassStep,
    Pipeline,
    Schedule,
    Step,
    nodes_of,
    passes_in,
    passes_of,
)

__all__ = [
    "NestedStep",
    "PassStep",
    "Pipeline",
    "PipelineCompiler",
    "Schedule",
    "Step",
    "nodes_of",
    "passes_in",
    "passes_of",
]
