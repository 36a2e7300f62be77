"""Passes: declaration, configuration, registration, and lookup by name."""

from passel.passes.base import InterfacePass, OperationPass, Pass
from passel.passes.context import PassContext
from passel.passes.entries import PassInfo, PassPipelineInfo
from passel.passes.options import Options, option
from passel.passes.outcome import PipelineRun
from passel.passes.pass_type import PassType
from passel.passes.registry import PassRegistry, default_registry
from passel.passes.remarks import RemarkEmitter
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
    "PassType",
    "PipelineRun",
    "RemarkEmitter",
    "Statistic",
    "default_registry",
    "option",
]
