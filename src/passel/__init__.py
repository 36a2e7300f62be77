"""MLIR's pass infrastructure for Python."""
