"""Analyses of MLIR's ops: `ctx.analysis(DominanceInfo)` in a pass, or `DominanceInfo(op)`."""

from __future__ import annotations

from passel.mlir.analyses.dominance import DominanceInfo
from passel.mlir.analyses.symbol_users import SymbolUse, SymbolUsers

__all__ = ["DominanceInfo", "SymbolUse", "SymbolUsers"]
