"""Registration of the passes `xdsl(...)` and `mlir(...)`, which are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel import bridge

if TYPE_CHECKING:
    from passel.passes import PassRegistry


def register(registry: PassRegistry) -> None:
    """Add the passes `xdsl(...)` and `mlir(...)` to a registry."""
    registry.register("xdsl", lambda: bridge.RunOnXDSL, origin="passel", ir="mlir")
    registry.register("mlir", lambda: bridge.RunOnMLIR, origin="passel", ir="xdsl")
