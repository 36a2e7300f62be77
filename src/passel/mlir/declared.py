"""The types of MLIR's own passes, and the names of idempotent passes, from MLIR's sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from passel.passes import PassType

if TYPE_CHECKING:
    from passel.builder import DeclarationTable

_TYPES = Path(__file__).with_name("types.txt")
"""The file in which each type name is followed by indented lines with pass names."""

_IDEMPOTENT = """
    cse reconcile-unrealized-casts strip-debuginfo symbol-dce topological-sort
    canonicalize remove-dead-values sccp print-ir print-op-stats view-op-graph
"""
"""The passes that change nothing when they run a second time, up to iteration limits."""


def declare(table: DeclarationTable) -> None:
    """Declare the pass types of MLIR's own passes in a table, and mark the idempotent passes.

    passel finds this function through an entry point of the group `passel.declarations`.
    """
    types: tuple[PassType, ...] = ()
    for line in _TYPES.read_text("utf-8").splitlines():
        if line.startswith(" "):
            table.declare(*line.split(), types=types, ir="mlir")
        elif not line.startswith("#"):
            types = (PassType(line),)
    table.declare(*_IDEMPOTENT.split(), idempotent=True, ir="mlir")
