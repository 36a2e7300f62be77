"""MLIR's own passes by name, as far as public releases have them."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def upstream_passes() -> tuple[str, ...]:
    """Return the passes of MLIR's public releases, some of which a build may lack.

    The bindings can test a name, but not list them.
    """
    return tuple(Path(__file__).with_name("upstream_passes.txt").read_text("ascii").split())
