"""passel's own adapters fulfil the contract that `passel.testing` ships."""

from __future__ import annotations

from subjects import MLIRSubject, ToySubject, XDSLSubject


class TestToy(ToySubject):
    """The toy IR's."""


class TestXDSL(XDSLSubject):
    """xDSL's."""


class TestMLIR(MLIRSubject):
    """That of MLIR's bindings."""
