"""passel on xDSL: the adapter, the analyses, and the passes that work on any isolated op.

`import passel` does not import this package, nor does this import more of xDSL than the
adapter needs; passes are imported by name when a pipeline uses them, and analyses when they
are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from passel.xdsl.release import check

if TYPE_CHECKING:
    from passel.xdsl.adapter import XDSLAdapter
    from passel.xdsl.analyses import (
        CallGraph,
        DominanceInfo,
        Effects,
        Liveness,
        LoopInfo,
        PostDominanceInfo,
        SymbolTables,
        SymbolUsers,
    )
    from passel.xdsl.fast.known import context_free
    from passel.xdsl.files import parse_file
    from passel.xdsl.parsing import parse_source

__all__ = [
    "CallGraph",
    "DominanceInfo",
    "Effects",
    "Liveness",
    "LoopInfo",
    "PostDominanceInfo",
    "SymbolTables",
    "SymbolUsers",
    "XDSLAdapter",
    "context_free",
    "parse_file",
    "parse_source",
]

_HOMES = {
    "XDSLAdapter": "adapter",
    "context_free": "fast.known",
    "parse_file": "files",
    "parse_source": "parsing",
}
"""Modules of all but the analyses."""

check()


def __getattr__(name: str) -> object:
    """Import what is asked for."""
    if name in __all__:
        home = _HOMES.get(name, "analyses")
        return getattr(import_module(f"passel.xdsl.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
