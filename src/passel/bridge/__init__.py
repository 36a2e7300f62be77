"""Crossings: pipelines that continue on another IR and come back."""

from passel.bridge.crossing import Crossing, RunOnMLIR, RunOnXDSL

__all__ = [
    "Crossing",
    "RunOnMLIR",
    "RunOnXDSL",
]
