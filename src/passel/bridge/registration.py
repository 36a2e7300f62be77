"""The names of the crossings, whose passes are imported when a pipeline has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel import bridge

if TYPE_CHECKING:
    from passel.passes import PassRegistry


def register(registry: PassRegistry) -> None:
    """Add the crossings; an entry point names this."""
    registry.register("xdsl", lambda: bridge.RunOnXDSL, origin="passel", ir="mlir")
    registry.register("mlir", lambda: bridge.RunOnMLIR, origin="passel", ir="xdsl")
