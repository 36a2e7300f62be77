"""The pass types of xDSL's own passes, and the names of idempotent passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.passes import pass_type

if TYPE_CHECKING:
    from passel.builder import DeclarationTable
    from passel.passes import PassType

_TYPES: dict[PassType, str] = {
    pass_type.INGRESS: """
        convert-ml-program-to-memref frontend-desymrefy jax-use-donated-arguments
        lift-arith-to-linalg shape-inference
    """,
    pass_type.NORMALIZATION: """
        canonicalize-dmp convert-arith-to-varith empty-tensor-to-alloc-tensor
        expand-math-to-polynomials function-persist-arg-names linalg-generalize-named-ops
        memref-stream-generalize-fill memref-stream-infer-fill memref-stream-legalize
        memref-stream-unnest-out-parameters riscv-scf-for-infer-constant-step
        stencil-shape-minimize
    """,
    pass_type.EARLY_OPTIMIZATION: """
        approximate-math-with-bitcast arith-add-fastmath eqsat-add-costs
        eqsat-create-eclasses eqsat-create-egraphs eqsat-extract function-constant-pinning
        inline linalg-fuse-multiply-add stencil-inlining stencil-storage-materialization
        stencil-tensorize-z-dimension varith-fuse-repeated-operands
    """,
    pass_type.BUFFERIZATION: "csl-stencil-bufferize stencil-bufferize",
    pass_type.LATE_OPTIMIZATION: """
        control-flow-hoist licm loop-hoist-memref loop-invariant-code-motion mem2reg
        memref-stream-fold-fill memref-stream-interleave memref-stream-tile-outer-loops
        memref-streamify riscv-scf-loop-range-folding scf-for-loop-flatten
        scf-for-loop-range-folding scf-for-loop-unroll scf-parallel-loop-tiling
        stencil-unroll vector-split-load-extract
    """,
    pass_type.HARDWARE_OPTIMIZATION: """
        convert-riscv-scf-for-to-frep csl-stencil-handle-async-flow
        csl-stencil-materialize-stores csl-stencil-set-global-coeffs
        csl-wrapper-hoist-buffers distribute-stencil gpu-map-parallel-loops inline-snrt
        memref-to-gpu replace-incompatible-fpga riscv-allocate-infinite-registers
        riscv-allocate-registers riscv-lower-parallel-mov riscv-prologue-epilogue-insertion
        snitch-allocate-registers x86-allocate-registers x86-infer-broadcast
        x86-prologue-epilogue-insertion x86-regalloc-legalize x86-regalloc-verify-liveness
        x86-set-arch
    """,
    pass_type.CONVERSION: """
        convert-linalg-to-loops convert-linalg-to-memref-stream
        convert-memref-stream-to-loops convert-memref-to-ptr
        convert-pdl-interp-to-eqsat-pdl-interp convert-pdl-to-pdl-interp
        convert-ptr-type-offsets convert-scf-to-cf convert-scf-to-openmp
        convert-varith-to-arith convert-vector-to-ptr dmp-to-mpi lower-affine
    """,
    pass_type.LOWERING: """
        convert-arith-to-riscv convert-arith-to-riscv-snitch convert-arith-to-x86
        convert-func-to-riscv-func convert-func-to-x86-func
        convert-memref-stream-to-snitch-stream convert-memref-to-riscv
        convert-print-format-to-riscv-debug convert-ptr-to-llvm convert-ptr-to-riscv
        convert-ptr-to-x86 convert-riscv-scf-to-riscv-cf convert-riscv-to-llvm
        convert-scf-to-riscv-scf convert-scf-to-x86-scf convert-snitch-stream-to-snitch
        convert-stencil-to-csl-stencil convert-stencil-to-ll-mlir convert-vector-to-x86
        convert-x86-scf-to-x86 csl-stencil-to-csl-wrapper hls-convert-stencil-to-ll-mlir
        linalg-to-csl lower-csl-stencil lower-csl-wrapper lower-hls lower-mpi
        lower-riscv-func lower-snitch memref-to-dsd printf-to-llvm printf-to-putchar
    """,
    pass_type.CLEANUP: """
        canonicalize cse dce reconcile-unrealized-casts sccp strip-debuginfo symbol-dce
    """,
}


def declare(table: DeclarationTable) -> None:
    """Add the pass types of xDSL's passes to a table, and mark the idempotent passes."""
    for kind, names in _TYPES.items():
        table.declare(*names.split(), types=(kind,), ir="xdsl")
    # A second run has nothing to do.
    table.declare(*_TYPES[pass_type.CLEANUP].split(), idempotent=True, ir="xdsl")
