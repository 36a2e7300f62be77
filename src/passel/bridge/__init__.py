"""Crossings: passes that convert an op to another IR and run a pipeline on the converted op."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.bridge.crossing import Crossing, RunOnMLIR, RunOnXDSL

__all__ = [
    "Crossing",
    "RunOnMLIR",
    "RunOnXDSL",
]


def __getattr__(name: str) -> object:
    """Import the classes of the crossings on first use."""
    if name in __all__:
        from passel.bridge import crossing  # noqa: PLC0415 - see above

        return getattr(crossing, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
