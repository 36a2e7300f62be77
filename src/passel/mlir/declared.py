"""Types of MLIR's own passes, and which of them are idempotent, according to its sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from passel.passes import PassType

if TYPE_CHECKING:
    from passel.builder import DeclarationTable

_TYPES = Path(__file__).with_name("types.txt")
"""A line with the name of a type, then indented lines with the names of passes."""

_IDEMPOTENT = """
    cse reconcile-unrealized-casts strip-debuginfo symbol-dce topological-sort
    canonicalize remove-dead-values sccp print-ir print-op-stats view-op-graph
"""
"""Passes that change nothing when run twice in a row, up to limits on iterations."""


def declare(table: DeclarationTable) -> None:
    """Add declarations for MLIR's own passes; an entry point names this function."""
    types: tuple[PassType, ...] = ()
    for line in _TYPES.read_text("utf-8").splitlines():
        if line.startswith(" "):
            table.declare(*line.split(), types=types, ir="mlir")
        elif not line.startswith("#"):
            types = (PassType(line),)
    table.declare(*_IDEMPOTENT.split(), idempotent=True, ir="mlir")
