"""What is declared of passes, by their classes and by tables."""

from __future__ import annotations

import pytest

from passel import PassFailedError, PassManager
from passel.builder import (
    BUFFERIZATION,
    CLEANUP,
    CONVERSION,
    LOWERING,
    UNKNOWN,
    Declarations,
    DeclarationTable,
    PassType,
    PipelineBuilder,
    default_declarations,
    enforce_contracts,
)
from passel.mlir import MLIRAdapter, parse_source
from passel.mlir.upstream import upstream_passes
from passel.passes import default_registry

WITHOUT_TYPE = {
    "mlir": {
        "composite-fixed-point-pass",
        "generate-runtime-verification",
        "opt-reduction-pass",
        "print-ir",
        "print-op-stats",
        "reduction-tree",
        "snapshot-op-locations",
        "transform-dialect-check-uses",
        "transform-infer-effects",
        "transform-interpreter",
        "transform-preload-library",
        "view-op-graph",
    },
    "xdsl": {
        "apply-eqsat-pdl",
        "apply-eqsat-pdl-interp",
        "apply-individual-rewrite",
        "apply-pdl",
        "apply-pdl-interp",
        "composite-fixed-point-pass",
        "constant-fold-interp",
        "eqsat-serialize-egraph",
        "func-to-pdl-rewrite",
        "mlir",
        "mlir-opt",
        "print-op-stats",
        "transform-interpreter",
    },
}
"""Passes that play any part, or none."""


def _comes_along(origin: str) -> bool:
    return origin.partition(".")[0] in {"passel", "xDSL"}  # other tests register passes too


@pytest.mark.parametrize("ir", ["mlir", "xdsl"])
def test_every_pass_that_comes_along_has_a_type(ir: str) -> None:
    """But those that print, and those whose part depends on what they are given."""
    names = (
        list(upstream_passes())
        if ir == "mlir"
        else [i.name for i in default_registry().passes(ir=ir) if _comes_along(i.origin)]
    )
    table = default_declarations()
    named = (name for name in names if not name.startswith("test-"))
    untyped = {name for name in named if not table.named(name, ir=ir).types}
    assert untyped == WITHOUT_TYPE[ir]


def test_types_of_real_passes() -> None:
    """The builder knows the types of passes that it was given as text."""
    builder = PipelineBuilder.parse(
        "builtin.module(canonicalize,func.func(convert-linalg-to-loops),print-op-stats)"
    )
    assert [builder.types_of(step) for step in builder.steps()] == [
        (CLEANUP,),
        (CONVERSION,),
        (UNKNOWN,),
    ]


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_lowering_leaves_the_compiler(ir: str) -> None:
    """What stays in the compiler, such as loops for linalg, comes before any lowering to LLVM."""
    table = default_declarations()
    inside = ["convert-linalg-to-loops", "convert-scf-to-cf", "lower-affine"]
    assert {table.named(name, ir=ir).types for name in inside} == {(CONVERSION,)}
    leaving = {"xdsl": "convert-ptr-to-llvm", "mlir": "convert-to-llvm"}[ir]
    assert table.named(leaving, ir=ir).types == (LOWERING,)


@pytest.mark.parametrize(
    ("name", "dialect", "source", "left"),
    [
        ("convert-math-to-libm", "math", "%1 = math.absi %0 : i32", None),
        ("convert-index-to-llvm", "index", "%1 = index.constant 1", "llvm."),
    ],
)
def test_dialects_that_passes_remove(
    name: str, dialect: str, source: str, left: str | None
) -> None:
    """MLIR's pass leaves no op of the dialect that it is declared to remove, or fails."""
    assert default_declarations().named(name, ir="mlir").makes_illegal == (dialect,)
    text = f"func.func @f(%0: i32) {{ {source} return }}"
    manager = PassManager.parse(f"builtin.module({name})", adapter=MLIRAdapter())
    enforce_contracts(manager, verify=True)
    manager.context = MLIRAdapter().create_context()
    module = parse_source(manager.context, text, "in.mlir")
    if left is None:
        with pytest.raises(PassFailedError, match=r"convert-math-to-libm. failed"):
            manager.run(module)
    else:
        manager.run(module)
        assert left in str(module)


def test_types_of_ones_own() -> None:
    """A type of one's own is attached to another package's pass, beside the types it has."""
    tiling = PassType("tiling")
    table = DeclarationTable(default_declarations())
    table.declare(Declarations(types=(tiling,)), "one-shot-bufferize", "cse", ir="mlir")
    assert table.named("one-shot-bufferize", ir="mlir").types == (BUFFERIZATION, tiling)
    assert table.named("cse", ir="xdsl").types == (CLEANUP,)
    assert tiling in set(table.types())
