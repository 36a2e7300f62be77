"""The names of the crossings, whose passes are imported when a pipeline has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.bridge.crossing import RunOnMLIR, RunOnXDSL
    from passel.passes import PassRegistry


def register(registry: PassRegistry) -> None:
    """Add the crossings; an entry point names this."""
    registry.register("xdsl", _run_on_xdsl, origin="passel", ir="mlir")
    registry.register("mlir", _run_on_mlir, origin="passel", ir="xdsl")


def _run_on_xdsl() -> type[RunOnXDSL]:
    from passel.bridge.crossing import RunOnXDSL  # noqa: PLC0415 - see above

    return RunOnXDSL


def _run_on_mlir() -> type[RunOnMLIR]:
    from passel.bridge.crossing import RunOnMLIR  # noqa: PLC0415 - see above

    return RunOnMLIR
