"""MLIR's pass infrastructure for Python: nested pass managers over any IR.

See `passel.xdsl` and `passel.mlir` for what works on these IRs, `passel.instruments` for what
tells about runs, and `passel.testing` for a toy IR.
"""

from passel._version import __version__
from passel.analysis import AnalysisManager, PreservedAnalyses
from passel.context import PassContext, PipelineRun
from passel.diagnostics import Diagnostic, Location, Severity
from passel.errors import (
    AdapterError,
    AnchorError,
    DefinitionError,
    DuplicateNameError,
    Failure,
    OptionError,
    PasselError,
    PassFailedError,
    PassFailure,
    PipelineError,
    PipelineSyntaxError,
    UnknownPassError,
)
from passel.instrumentation import PassInstrumentation
from passel.ir import ANY, OpKind
from passel.manager import PassManager, RunResult
from passel.op_pass_manager import Nesting, OpPassManager
from passel.options import Options, option
from passel.passes import InterfacePass, OperationPass, Pass
from passel.registry import PassRegistry, default_registry
from passel.statistics import Statistic

__all__ = [
    "ANY",
    "AdapterError",
    "AnalysisManager",
    "AnchorError",
    "DefinitionError",
    "Diagnostic",
    "DuplicateNameError",
    "Failure",
    "InterfacePass",
    "Location",
    "Nesting",
    "OpKind",
    "OpPassManager",
    "OperationPass",
    "OptionError",
    "Options",
    "Pass",
    "PassContext",
    "PassFailedError",
    "PassFailure",
    "PassInstrumentation",
    "PassManager",
    "PassRegistry",
    "PasselError",
    "PipelineError",
    "PipelineRun",
    "PipelineSyntaxError",
    "PreservedAnalyses",
    "RunResult",
    "Severity",
    "Statistic",
    "UnknownPassError",
    "__version__",
    "default_registry",
    "option",
]
