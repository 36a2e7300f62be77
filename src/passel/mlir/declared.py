"""Types and contracts of MLIR's own passes, as far as its sources say so.

Passes that only look preserve all analyses, the others none: analyses in Python hold handles to
ops and blocks, which a native pass may have replaced.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from passel.analysis import AllAnalyses
from passel.contracts import Declarations
from passel.passes import PassType

if TYPE_CHECKING:
    from passel.contracts import DeclarationTable

_TYPES = Path(__file__).with_name("types.txt")
"""A line with the name of a type, then indented lines with the names of passes."""

_IDEMPOTENT = """
    cse reconcile-unrealized-casts strip-debuginfo symbol-dce topological-sort
    canonicalize remove-dead-values sccp
"""
"""A second run right after the first finds nothing to do, up to limits on iterations."""

_ONLY_LOOK = "print-ir print-op-stats view-op-graph"
"""They leave everything as it is, so that a second look shows what the first one did."""

_REMOVE = {
    "convert-index-to-llvm": "index",
    "convert-math-to-libm": "math",
    "convert-pdl-to-pdl-interp": "pdl",
}
"""Passes that fail or leave no op of a dialect, as their conversion targets say."""


def declare(table: DeclarationTable) -> None:
    """Add what is known of MLIR's own passes; an entry point names it."""
    found = Declarations()
    for line in _TYPES.read_text("utf-8").splitlines():
        if line.startswith(" "):
            table.declare(found, *line.split(), ir="mlir")
        elif not line.startswith("#"):
            found = Declarations(types=(PassType(line),))
    table.declare(Declarations(idempotent=True), *_IDEMPOTENT.split(), ir="mlir")
    only_looks = Declarations(preserves=(AllAnalyses,), idempotent=True)
    table.declare(only_looks, *_ONLY_LOOK.split(), ir="mlir")
    for name, dialect in _REMOVE.items():
        table.declare(Declarations(makes_illegal=(dialect,)), name, ir="mlir")
