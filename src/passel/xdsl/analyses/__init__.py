"""Analyses of xDSL IR: `ctx.analysis(DominanceInfo)` in a pass, or `DominanceInfo(op)`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.xdsl.analyses.call_graph import CallGraph
    from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
    from passel.xdsl.analyses.effects import Effects
    from passel.xdsl.analyses.liveness import Liveness
    from passel.xdsl.analyses.loops import LoopInfo
    from passel.xdsl.analyses.symbol_tables import SymbolTables
    from passel.xdsl.analyses.symbol_users import SymbolUsers

__all__ = [
    "CallGraph",
    "DominanceInfo",
    "Effects",
    "Liveness",
    "LoopInfo",
    "PostDominanceInfo",
    "SymbolTables",
    "SymbolUsers",
]

_HOMES = {
    "CallGraph": "call_graph",
    "DominanceInfo": "dominance",
    "Effects": "effects",
    "Liveness": "liveness",
    "LoopInfo": "loops",
    "PostDominanceInfo": "dominance",
    "SymbolTables": "symbol_tables",
    "SymbolUsers": "symbol_users",
}


def __getattr__(name: str) -> object:
    """Import an analysis when it is asked for."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
