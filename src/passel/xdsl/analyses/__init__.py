"""Analyses of xDSL IR, which `passel.xdsl` exports: `ctx.analysis(DominanceInfo)` in a pass."""
