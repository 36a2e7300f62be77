"""Passes: how they are declared, configured, registered and found by name."""

from passel.passes.base import InterfacePass, OperationPass, Pass
from passel.passes.context import PassContext, PipelineRun
from passel.passes.options import Options, option
from passel.passes.registry import PassInfo, PassPipelineInfo, PassRegistry, default_registry
from passel.passes.statistics import Statistic

__all__ = [
    "InterfacePass",
    "OperationPass",
    "Options",
    "Pass",
    "PassContext",
    "PassInfo",
    "PassPipelineInfo",
    "PassRegistry",
    "PipelineRun",
    "Statistic",
    "default_registry",
    "option",
]
