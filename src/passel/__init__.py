"""MLIR's pass infrastructure for Python: nested pass managers over any IR.

`passel.xdsl` and `passel.mlir` contain the adapters for xDSL and MLIR's bindings.
`passel.instruments` provides timing, dumps and reproducers. `passel.testing` contains a toy IR.
"""

from passel._version import __version__
from passel.analysis import AllAnalyses, AnalysisManager, PreservedAnalyses
from passel.diagnostics import Diagnostic, Location, OptimizationRemark, Severity
from passel.errors import (
    AdapterError,
    AnchorError,
    ContractError,
    DefinitionError,
    DuplicateNameError,
    EffectsError,
    Failure,
    InsertionError,
    OptionError,
    PasselError,
    PassFailedError,
    PassFailure,
    PipelineError,
    PipelineSyntaxError,
    UnknownPassError,
)
from passel.hooks import PassInstrumentation
from passel.ir import ANY, FunctionLike, OpKind
from passel.manager import PassManager, RunResult, load_reproducer
from passel.passes import (
    InterfacePass,
    OperationPass,
    Options,
    Pass,
    PassContext,
    PassRegistry,
    PassType,
    PipelineRun,
    Statistic,
    default_registry,
    option,
)
from passel.passes.op_pass_manager import Nesting, OpPassManager

__all__ = [
    "ANY",
    "AdapterError",
    "AllAnalyses",
    "AnalysisManager",
    "AnchorError",
    "ContractError",
    "DefinitionError",
    "Diagnostic",
    "DuplicateNameError",
    "EffectsError",
    "Failure",
    "FunctionLike",
    "InsertionError",
    "InterfacePass",
    "Location",
    "Nesting",
    "OpKind",
    "OpPassManager",
    "OperationPass",
    "OptimizationRemark",
    "OptionError",
    "Options",
    "Pass",
    "PassContext",
    "PassFailedError",
    "PassFailure",
    "PassInstrumentation",
    "PassManager",
    "PassRegistry",
    "PassType",
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
    "load_reproducer",
    "option",
]
