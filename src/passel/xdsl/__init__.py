"""Support for xDSL: the adapter, the analyses, and the passes, which run on any isolated op.

`import passel` does not import this package. The package imports only as much of xDSL as the
adapter needs: passes are imported when a pipeline names them, and analyses when a pass uses them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from passel.xdsl.release import check

if TYPE_CHECKING:
    from passel.xdsl.adapter import XDSLAdapter
    from passel.xdsl.analyses.call_graph import CallGraph
    from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
    from passel.xdsl.analyses.liveness import Liveness
    from passel.xdsl.analyses.symbol_tables import SymbolTables, SymbolUsers
    from passel.xdsl.parsing import parse_source

import_module("pickle")  # before xDSL's import hook, which fails in a directory that is gone

__all__ = [
    "CallGraph",
    "DominanceInfo",
    "Liveness",
    "PostDominanceInfo",
    "SymbolTables",
    "SymbolUsers",
    "XDSLAdapter",
    "parse_source",
]

_HOMES = {
    "CallGraph": "analyses.call_graph",
    "DominanceInfo": "analyses.dominance",
    "Liveness": "analyses.liveness",
    "PostDominanceInfo": "analyses.dominance",
    "SymbolTables": "analyses.symbol_tables",
    "SymbolUsers": "analyses.symbol_tables",
    "XDSLAdapter": "adapter",
    "parse_source": "parsing",
}

check()

# xDSL's code recurses, with up to nine calls for each level of regions or attributes, and its own
# tools reach the default limit of 1,000 at some 130 levels. A stack of 8 MiB has room for this many
# calls, whatever C code is between them. Forked workers inherit the limit.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 5_000))


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    if name in _HOMES:
        return getattr(import_module(f"passel.xdsl.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
