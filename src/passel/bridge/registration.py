"""Registration of `xdsl(...)` and `mlir(...)`, whose classes are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel import bridge

if TYPE_CHECKING:
    from passel.passes import PassRegistry


def register(registry: PassRegistry) -> None:
    """Register `xdsl(...)` and `mlir(...)`; an entry point names this function."""
    registry.register("xdsl", lambda: bridge.RunOnXDSL, origin="passel", ir="mlir")
    registry.register("mlir", lambda: bridge.RunOnMLIR, origin="passel", ir="xdsl")
