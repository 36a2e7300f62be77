"""Schedules: the immutable form that a pass manager is compiled to, and that is run."""

from passel.schedule.compiler import PipelineCompiler
from passel.schedule.merging import merged
from passel.schedule.model import (
    NestedStep,
    PassStep,
    Pipeline,
    Plan,
    Schedule,
    Step,
    nodes_of,
    passes_of,
)

__all__ = [
    "NestedStep",
    "PassStep",
    "Pipeline",
    "PipelineCompiler",
    "Plan",
    "Schedule",
    "Step",
    "merged",
    "nodes_of",
    "passes_of",
]
