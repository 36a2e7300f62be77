"""Pipelines that people run, put together by a builder: the same text comes out."""

from __future__ import annotations

from tool_fixtures import run_mlir_opt
from xdsl.transforms.test_lower_linalg_to_snitch import TEST_LOWER_LINALG_TO_SNITCH_PASSES

from passel import OpPassManager
from passel.builder import CONVERSION, Bundle, PipelineBuilder, Stage
from passel.mlir import MLIRAdapter
from passel.xdsl import XDSLAdapter

CLEANUP = Bundle("cleanup", "canonicalize", "cse")


def on(anchor: str, *passes: str) -> Bundle:
    """Return passes in a nested pipeline each, as MLIR's pipelines add them."""
    nests = [OpPassManager(anchor).add(name) for name in passes]
    return Bundle(f"on {anchor}", *nests)


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


def test_a_pipeline_of_mlir_opt() -> None:
    """mlir-opt prints the built pipeline as it prints its own pipeline for NVIDIA's GPUs."""
    builder = PipelineBuilder("builtin.module", adapter=MLIRAdapter())
    to_nvvm(builder)
    own = "builtin.module(gpu-lower-to-nvvm-pipeline)"
    assert dumped(str(builder.build())) == dumped(own)


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
