"""The adapter, the parser and the dominance analysis for MLIR's own Python bindings.

Any build of the bindings works, such as `mlir`, `iree.compiler` or `torch_mlir`. passel imports a
build on first use, and detects the features of the build instead of checking its version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.mlir.adapter import MLIRAdapter
from passel.mlir.bindings import ContextDialects
from passel.mlir.diagnostics import ParseError
from passel.mlir.parsing import parse_file, parse_source

if TYPE_CHECKING:
    from passel.mlir.analyses import DominanceInfo

__all__ = [
    "ContextDialects",
    "DominanceInfo",
    "MLIRAdapter",
    "ParseError",
    "parse_file",
    "parse_source",
]


def __getattr__(name: str) -> object:
    """Import the analysis class on first use."""
    if name == "DominanceInfo":
        from passel.mlir.analyses import DominanceInfo  # noqa: PLC0415 - loaded when asked for

        return DominanceInfo
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
