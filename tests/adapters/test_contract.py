"""passel's own adapters fulfil the contract that `passel.testing` ships."""

from __future__ import annotations

from subjects import MLIRSubject, ToySubject, XDSLSubject


class TestToy(ToySubject):
    """The adapter of the toy IR."""


class TestXDSL(XDSLSubject):
    """The adapter of xDSL."""


class TestMLIR(MLIRSubject):
    """The adapter of MLIR's bindings."""
