"""Schedules: the immutable form that a pass manager is compiled to, and that is run."""

from passel.schedule.compiler import PassTree, PipelineCompiler
from passel.schedule.model import (
    FusedStep,
    NestedStep,
    PassStep,
    Pipeline,
    Schedule,
    Step,
    passes_in,
    passes_of,
)

__all__ = [
    "FusedStep",
    "NestedStep",
    "PassStep",
    "PassTree",
    "Pipeline",
    "PipelineCompiler",
    "Schedule",
    "Step",
    "passes_in",
    "passes_of",
]
