"""Analyses of xDSL's IR, which `passel.xdsl` exports for use with `ctx.analysis`."""
