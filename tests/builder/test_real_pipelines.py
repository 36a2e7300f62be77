"""A builder reproduces a pipeline of MLIR."""

from __future__ import annotations

from tool_fixtures import run_mlir_opt

from passel import OpPassManager
from passel.builder import CONVERSION, Bundle, PipelineBuilder
from passel.mlir import MLIRAdapter

CLEANUP = Bundle("cleanup", "canonicalize", "cse")


def dumped(pipeline: str) -> str:
    """Return what mlir-opt prints for a pipeline, with all options."""
    done = run_mlir_opt(f"--pass-pipeline={pipeline}", "--dump-pass-pipeline", source="module {}")
    assert done.code == 0, done.err
    return done.err


def test_a_pipeline_of_mlir_opt() -> None:
    """mlir-opt prints the built pipeline as it prints its own pipeline for NVIDIA's GPUs."""
    builder = PipelineBuilder("builtin.module", adapter=MLIRAdapter())
    common = builder.stage("common")
    builder.stage("kernels")
    builder.stage("host", "gpu-to-llvm,gpu-module-to-binary,convert-math-to-llvm", CLEANUP)
    index = "convert-index-to-llvm{index-bitwidth=64}"
    builder.add(f"lower-affine,convert-arith-to-llvm,{index}", stage="common")
    builder.insert_before(
        CONVERSION,
        "convert-nvgpu-to-nvvm,gpu-kernel-outlining,convert-vector-to-scf,convert-scf-to-cf",
        "convert-nvvm-to-llvm,convert-func-to-llvm,expand-strided-metadata",
        "nvvm-attach-target{features=+ptx60}",
    )
    builder.insert_after(common, CLEANUP)
    kernels = (
        "convert-gpu-to-nvvm{index-bitwidth=64}",
        "canonicalize,cse",
        "reconcile-unrealized-casts",
    )
    nests = [
        OpPassManager("gpu.module").add(each) for names in kernels for each in names.split(",")
    ]
    builder.add(Bundle("kernels", *nests), stage="kernels")
    builder.add("reconcile-unrealized-casts")
    own = dumped("builtin.module(gpu-lower-to-nvvm-pipeline)")
    assert dumped(str(builder.build())) == own
