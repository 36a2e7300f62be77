"""Analyses of xDSL's IR, exported by `passel.xdsl`; passes call `ctx.analysis(DominanceInfo)`."""
