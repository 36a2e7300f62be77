"""The adapter, the parser and the dominance analysis for MLIR's own Python bindings.

Any build of the bindings works, such as `mlir`, `iree.compiler` or `torch_mlir`. passel imports a
build on first use, and detects the features of the build instead of checking its version.
"""

from passel.mlir.adapter import MLIRAdapter
from passel.mlir.analyses import DominanceInfo
from passel.mlir.bindings import ContextDialects
from passel.mlir.diagnostics import ParseError
from passel.mlir.parsing import parse_file, parse_source

__all__ = [
    "ContextDialects",
    "DominanceInfo",
    "MLIRAdapter",
    "ParseError",
    "parse_file",
    "parse_source",
]
