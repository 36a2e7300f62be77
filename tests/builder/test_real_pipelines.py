"""Pipelines that people run, put together by a builder: the same text comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tool_fixtures import run_mlir_opt
from xdsl.transforms.test_lower_linalg_to_snitch import TEST_LOWER_LINALG_TO_SNITCH_PASSES

from passel import OpPassManager
from passel.builder import CONVERSION, Bundle, PipelineBuilder, Stage
from passel.mlir import MLIRAdapter
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

CLEANUP = Bundle("cleanup", "canonicalize", "cse")


def on(anchor: str, *passes: str) -> Bundle:
    """Return passes in a nested pipeline each, as MLIR's pipelines add them."""
    nests = [OpPassManager(anchor).add(name) for name in passes]
    return Bundle(f"on {anchor}", *nests)


def sparsifier(builder: PipelineBuilder) -> None:
    """From sparse tensors to LLVM, with a stage for each half."""
    builder.stage("sparsification", required=True)
    builder.stage("lowering", required=True)
    builder.add(
        "func.func(convert-linalg-to-loops),func.func(convert-vector-to-scf)",
        "func.func(expand-realloc),func.func(convert-scf-to-cf)",
        "expand-strided-metadata,lower-affine",
        "convert-vector-to-llvm{force-32bit-vector-indices=1 reassociate-fp-reductions=0}",
        "func.func(convert-complex-to-standard),func.func(arith-expand)",
        "func.func(convert-math-to-llvm),convert-math-to-libm,convert-complex-to-libm",
        "convert-vector-to-llvm{force-32bit-vector-indices=1 reassociate-fp-reductions=0}",
        "convert-to-llvm{dynamic=0},reconcile-unrealized-casts",
        stage="lowering",
    )
    builder.add(
        "sparsification-and-bufferization{enable-simd-index32=true}", stage="sparsification"
    )
    builder.insert_before(
        "sparsification-and-bufferization",
        "func.func(linalg-generalize-named-ops),func.func(linalg-fuse-elementwise-ops)",
    )
    builder.insert_after(
        "sparsification-and-bufferization",
        "sparse-storage-specifier-to-llvm",
        "func.func(canonicalize)",
    )


def to_nvvm(builder: PipelineBuilder) -> None:
    """For GPUs of one kind: common, then the kernels, then the host."""
    common = builder.stage("common")
    builder.stage("kernels")
    builder.stage("host", "gpu-to-llvm,gpu-module-to-binary,convert-math-to-llvm", CLEANUP)
    builder.add(
        "lower-affine,convert-arith-to-llvm,convert-index-to-llvm{index-bitwidth=64}",
        stage="common",
    )
    builder.insert_before(
        CONVERSION,
        "convert-nvgpu-to-nvvm,gpu-kernel-outlining,convert-vector-to-scf,convert-scf-to-cf",
        "convert-nvvm-to-llvm,convert-func-to-llvm,expand-strided-metadata,nvvm-attach-target{features=+ptx60}",
    )
    builder.insert_after(common, CLEANUP)
    passes = (
        "convert-gpu-to-nvvm{index-bitwidth=64}",
        "canonicalize",
        "cse",
        "reconcile-unrealized-casts",
    )
    builder.insert_inside(Stage("kernels"), on("gpu.module", *passes))
    builder.add("reconcile-unrealized-casts", stage="post_host")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("sparsifier", sparsifier),
        ("gpu-lower-to-nvvm-pipeline", to_nvvm),
    ],
)
def test_pipelines_of_mlir_opt(name: str, write: Callable[[PipelineBuilder], None]) -> None:
    """mlir-opt prints what the builder has built as it prints its own pipeline."""
    builder = PipelineBuilder("builtin.module", adapter=MLIRAdapter())
    write(builder)
    assert dumped(str(builder.build())) == dumped(f"builtin.module({name})")


def dumped(pipeline: str) -> str:
    """Return what mlir-opt prints for a pipeline, with all options."""
    done = run_mlir_opt(f"--pass-pipeline={pipeline}", "--dump-pass-pipeline", source="module {}")
    assert done.code == 0, done.err
    return done.err


def test_a_pipeline_of_xdsl() -> None:
    """From linalg to the Snitch core: bundles, and passes between them."""
    cleanup = Bundle("cleanup", "canonicalize")
    stream = Bundle(
        "optimise-memref-stream",
        cleanup,
        "memref-stream-infer-fill,memref-stream-unnest-out-parameters,memref-stream-fold-fill",
        "memref-stream-generalize-fill,memref-stream-interleave",
        "memref-stream-tile-outer-loops{target-rank=4},memref-streamify",
        "convert-memref-stream-to-loops",
        cleanup,
        "scf-for-loop-flatten",
    )
    builder = PipelineBuilder("builtin.module", adapter=XDSLAdapter())
    builder.add(cleanup, "convert-linalg-to-memref-stream", "memref-stream-legalize", stream)
    builder.add(cleanup)
    snitch = builder.add("convert-snitch-stream-to-snitch,lower-snitch", cleanup)
    builder.insert_before(
        snitch,
        "convert-memref-to-riscv,lower-affine,convert-scf-to-riscv-scf",
        "expand-math-to-polynomials,convert-arith-to-riscv-snitch,convert-arith-to-riscv",
        "convert-func-to-riscv-func,convert-memref-stream-to-snitch-stream",
        "reconcile-unrealized-casts",
        cleanup,
        "riscv-scf-for-infer-constant-step,convert-riscv-scf-for-to-frep",
        "snitch-allocate-registers",
    )
    builder.add("riscv-scf-loop-range-folding", cleanup)
    builder.add("riscv-allocate-registers{add-regalloc-stats=true}", cleanup)
    builder.add("convert-riscv-scf-to-riscv-cf", cleanup, "riscv-lower-parallel-mov", cleanup)
    expected = ",".join(
        str(each.pipeline_pass_spec()) for each in TEST_LOWER_LINALG_TO_SNITCH_PASSES
    )
    spelled = OpPassManager("builtin.module").add(expected.replace("_", "-"))
    assert str(builder.build()) == str(spelled)
