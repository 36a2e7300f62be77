"""Declarations about passes, in classes and in tables."""

from __future__ import annotations

import pytest

from passel.builder import (
    BUFFERIZATION,
    CLEANUP,
    CONVERSION,
    LOWERING,
    DeclarationTable,
    PassType,
    PipelineBuilder,
    default_declarations,
)
from passel.mlir.upstream import FACTS, facts_in
from passel.passes import default_registry

WITHOUT_TYPE = {
    "mlir": """
        composite-fixed-point-pass generate-runtime-verification opt-reduction-pass print-ir
        print-op-stats reduction-tree snapshot-op-locations transform-dialect-check-uses
        transform-infer-effects transform-interpreter transform-preload-library view-op-graph
    """,
    "xdsl": """
        apply-eqsat-pdl apply-eqsat-pdl-interp apply-individual-rewrite apply-pdl apply-pdl-interp
        composite-fixed-point-pass constant-fold-interp eqsat-serialize-egraph func-to-pdl-rewrite
        mlir mlir-opt transform-interpreter
    """,
}
"""Passes that play any part, or none."""


def _comes_along(origin: str) -> bool:
    return origin.partition(".")[0] in {"passel", "xDSL"}  # other tests register passes too


@pytest.mark.parametrize("ir", ["mlir", "xdsl"])
def test_upstream_passes_have_types(ir: str) -> None:
    """Every upstream pass has a type, except printers and passes with variable roles."""
    names = (
        list(facts_in(FACTS))
        if ir == "mlir"
        else [i.name for i in default_registry().passes(ir=ir) if _comes_along(i.origin)]
    )
    table = default_declarations()
    named = (name for name in names if not name.startswith("test-"))
    untyped = {name for name in named if not table.named(name, ir=ir).types}
    assert untyped == set(WITHOUT_TYPE[ir].split())


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_conversions_and_lowerings(ir: str) -> None:
    """Conversions within the compiler have another type than lowerings to LLVM."""
    table = default_declarations()
    inside = ["convert-linalg-to-loops", "convert-scf-to-cf", "lower-affine"]
    assert {table.named(name, ir=ir).types for name in inside} == {(CONVERSION,)}
    leaving = {"xdsl": "convert-ptr-to-llvm", "mlir": "convert-to-llvm"}[ir]
    assert table.named(leaving, ir=ir).types == (LOWERING,)


def test_new_types() -> None:
    """A table adds a new type to the types of a pass from another package, at any time."""
    tiling = PassType("tiling")
    table = DeclarationTable(default_declarations())
    table.declare("one-shot-bufferize", "cse", types=(tiling,), ir="mlir")
    assert table.named("one-shot-bufferize", ir="mlir").types == (BUFFERIZATION, tiling)
    assert table.named("cse", ir="xdsl").types == (CLEANUP,)
    builder = PipelineBuilder.parse("any(symbol-dce)", declarations=table)
    assert tiling not in builder
    table.declare("symbol-dce", types=(tiling,))
    assert tiling in builder
