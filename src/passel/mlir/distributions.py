"""Versions of the packages that bring MLIR's bindings."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution


@cache
def version_of(package: str) -> str:
    """Return the distributions that bring a package, with their versions."""
    found = {
        f"{each.name} {each.version}" for each in metadata.distributions() if _has(each, package)
    }
    return ", ".join(sorted(found)) or "of no distribution"


def _has(distribution: Distribution, package: str) -> bool:
    """Return whether a distribution brings a package, much faster than `importlib` does."""
    if (top := distribution.read_text("top_level.txt")) is not None:
        return package in top.split()
    return f"\n{package}/" in f"\n{distribution.read_text('RECORD') or ''}"
