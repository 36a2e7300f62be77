"""Declarations about passes, in classes and in tables, and what lint finds without IR."""

from __future__ import annotations

from typing import Any

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
    lint,
)
from passel.mlir import MLIRAdapter
from passel.mlir.upstream import FACTS, facts_in
from passel.passes import default_registry
from passel.xdsl import XDSLAdapter

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


# -- Lint -----------------------------------------------------------------------------------------


def said(builder: PipelineBuilder, adapter: Any = None) -> list[tuple[str, str]]:
    """Return the findings, each with the text at its place."""
    return [
        (f"{each.severity.value}: {each.message}", each.span.text if each.span else "")
        for each in lint(builder, adapter)
    ]


FINDINGS: list[tuple[str, list[str], str]] = [
    ("builtin.module(func.func(cse,canonicalize),symbol-dce)", [], ""),
    ("builtin.module(builtin.module(func.func(cse)))", [], ""),
    ("builtin.module(any(cse),any(canonicalize),cse,any(cse))", [], ""),
    ("builtin.module(cse,canonicalize,cse)", [], ""),
    ("builtin.module()", [], ""),
    ("builtin.module(cse,cse)", ["cse"], "warning: 'cse' runs twice in a row; the second run is redundant: remove one"),
    ("builtin.module(func.func(sccp),cse,canonicalize,func.func(sccp))", ["cse"], "warning: 'cse', 'canonicalize' run on 'builtin.module' between nested pipelines"),
    ("builtin.module(func.fun(cse))", ["func.fun"], "error: no registered operation is called 'func.fun'; did you mean 'func.func'?"),
    ("builtin.module(scf.for(cse))", ["scf.for"], "error: 'scf.for' cannot anchor a pipeline: it is not marked as 'IsolatedFromAbove'"),
]  # fmt: skip


@pytest.mark.parametrize("adapter", [XDSLAdapter, MLIRAdapter])
@pytest.mark.parametrize(("text", "about", "expected"), FINDINGS)
def test_findings(adapter: Any, text: str, about: list[str], expected: str) -> None:
    """Each finding has a place and suggests a fix; a good pipeline has no findings."""
    found = said(PipelineBuilder.parse(text, adapter=adapter()), adapter())
    assert [place for _, place in found] == about
    assert not found or found[0][0].startswith(expected)
