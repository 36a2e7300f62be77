"""Tiny tensors: a dialect, passes that simplify and lower it, and a pipeline of them.

The passes are registered by where they are, and imported when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel import Options, option

if TYPE_CHECKING:
    from passel import OpPassManager, PassRegistry


class Lowering(Options):
    """Options of the pipeline."""

    simplify: bool = option(default=True, help="Simplify before.")


def lower(pm: OpPassManager, options: Lowering) -> None:
    """Build the pipeline from tensors to linalg."""
    functions = pm.nest("func.func")
    if options.simplify:
        functions.add("tt-simplify,cse,dce")
    functions.add("tt-to-linalg")


def register(registry: PassRegistry) -> None:
    """Register all that there is; the entry point is this function."""
    registry.register("tt-simplify", "tiny_tensors.simplify:Simplify", ir="xdsl")
    registry.register("tt-to-linalg", "tiny_tensors.lowering:ToLinalg", ir="xdsl")
    registry.register_pipeline(
        "tt-lower", lower, options=Lowering, summary="From tiny tensors to linalg.", ir="xdsl"
    )
