"""Types of MLIR's own passes, and which of them change nothing when they run twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.analysis import AllAnalyses
from passel.builder import Declarations
from passel.passes import pass_type

if TYPE_CHECKING:
    from passel.builder import DeclarationTable, PassType

_TYPES: dict[PassType, str] = {
    pass_type.INGRESS: """
        convert-elementwise-to-linalg convert-shape-constraints convert-tensor-to-linalg
        outline-shape-computation shape-to-shape-lowering
        tosa-arith-const-to-tosa-const tosa-attach-target tosa-convert-integer-type-to-signless
        tosa-infer-shapes tosa-layerwise-constant-fold tosa-make-broadcastable
        tosa-narrow-f64-to-f32 tosa-narrow-i64-to-i32 tosa-optional-decompositions
        tosa-reduce-transposes tosa-to-arith tosa-to-linalg tosa-to-linalg-named
        tosa-to-mlprogram tosa-to-scf tosa-to-tensor tosa-validate
    """,
    pass_type.NORMALIZATION: """
        affine-loop-normalize affine-raise-from-memref affine-simplify-structures
        empty-tensor-to-alloc-tensor form-expressions lift-cf-to-scf
        linalg-generalize-named-ops linalg-morph-ops linalg-specialize-generic-ops
        memref-expand normalize-memrefs normalize-quant-types pre-sparsification-rewrite
        remove-shape-constraints resolve-ranked-shaped-type-result-dims
        resolve-shaped-type-result-dims reify-result-shapes scf-for-loop-canonicalization
        scf-for-to-while sparse-reinterpret-map spirv-canonicalize-gl strip-func-quant-types
        topological-sort math-expand-ops math-extend-to-supported-types arith-expand
        arith-emulate-wide-int arith-emulate-unsupported-floats
    """,
    pass_type.EARLY_OPTIMIZATION: """
        duplicate-function-elimination eliminate-empty-tensors fold-tensor-subset-ops inline
        linalg-block-pack-matmul linalg-detensorize linalg-fold-into-elementwise
        linalg-fold-unit-extent-dims linalg-fuse-elementwise-ops linalg-inline-scalar-operands
        loop-invariant-subset-hoisting shard-partition sharding-propagation
        simplify-depthwise-conv sparse-assembler sparse-space-collapse sparsification
        stage-sparse-ops
    """,
    pass_type.BUFFERIZATION: """
        buffer-deallocation-simplification buffer-hoisting buffer-loop-hoisting
        buffer-results-to-out-params bufferization-lower-deallocations
        convert-bufferization-to-memref drop-equivalent-buffer-results expand-realloc
        one-shot-bufferize optimize-allocation-liveness ownership-based-buffer-deallocation
        promote-buffers-to-stack sparse-tensor-codegen sparse-tensor-conversion
        sparsification-and-bufferization
    """,
    pass_type.LATE_OPTIMIZATION: """
        affine-data-copy-generate affine-fold-memref-alias-ops affine-loop-coalescing
        affine-loop-fusion affine-loop-invariant-code-motion affine-loop-tile
        affine-loop-unroll affine-loop-unroll-jam affine-parallelize
        affine-pipeline-data-transfer affine-scalrep affine-simplify-min-max
        affine-super-vectorize arith-int-range-narrowing arith-unsigned-when-equivalent
        async-parallel-for bubble-down-memory-space-casts control-flow-sink
        expand-strided-metadata flatten-memref fold-memref-alias-ops int-range-optimizations
        loop-invariant-code-motion lower-vector-mask lower-vector-multi-reduction
        lower-vector-to-from-elements-to-shuffle-tree math-sincos-fusion math-uplift-to-fma
        mem2reg memref-emulate-wide-int scf-for-loop-peeling scf-for-loop-range-folding
        scf-for-loop-specialization scf-forall-to-for scf-forall-to-parallel
        scf-parallel-for-to-nested-fors scf-parallel-loop-fusion
        scf-parallel-loop-specialization scf-parallel-loop-tiling sparse-buffer-rewrite
        sparse-vectorization sroa
    """,
    pass_type.HARDWARE_OPTIMIZATION: """
        acc-if-clause-lowering acc-implicit-data acc-implicit-declare acc-implicit-routine
        acc-legalize-serial acc-loop-tiling acc-specialize-for-device acc-specialize-for-host
        amdgpu-emulate-atomics amdgpu-fold-memrefs-ops amdgpu-maskedload-to-load
        amdgpu-resolve-strided-metadata arm-neon-2d-to-intr arm-sme-outer-product-fusion
        arm-sme-vector-legalization arm-sve-legalize-vector-storage convert-affine-for-to-gpu
        convert-parallel-loops-to-gpu convert-vector-to-amx convert-vector-to-arm-sme
        convert-vector-to-gpu convert-vector-to-xegpu enable-arm-streaming gpu-async-region
        gpu-decompose-memrefs gpu-eliminate-barriers gpu-kernel-outlining
        gpu-launch-sink-index-computations gpu-map-parallel-loops gpu-register-host-buffers
        llvm-optimize-for-nvvm-target nvgpu-optimize-shared-memory nvvm-attach-target
        offload-livein-value-canonicalization omp-offload-privatization-prepare
        openacc-legalize-data-values rocdl-attach-target sparse-gpu-codegen
        spirv-attach-target spirv-promote-to-replicated-constants xegpu-blocking
        xegpu-fold-alias-ops xegpu-optimize-block-loads xegpu-propagate-layout
        xegpu-subgroup-distribute xegpu-vector-linearize xegpu-wg-to-sg-distribute
        xevm-attach-target
    """,
    pass_type.LOWERING: """
        affine-expand-index-ops affine-expand-index-ops-as-affine
        async-func-to-async-runtime async-runtime-policy-based-ref-counting
        async-runtime-ref-counting async-runtime-ref-counting-opt async-to-async-runtime
        convert-amdgpu-to-rocdl convert-arith-to-amdgpu convert-arith-to-apfloat
        convert-arith-to-arm-sme convert-arith-to-emitc convert-arith-to-llvm
        convert-arith-to-spirv convert-arm-sme-to-llvm convert-arm-sme-to-scf
        convert-async-to-llvm convert-cf-to-llvm convert-cf-to-spirv convert-complex-to-libm
        convert-complex-to-llvm convert-complex-to-rocdl-library-calls
        convert-complex-to-spirv convert-complex-to-standard convert-func-to-emitc
        convert-func-to-llvm convert-func-to-spirv convert-gpu-to-llvm-spv
        convert-gpu-to-nvvm convert-gpu-to-rocdl convert-gpu-to-spirv convert-index-to-llvm
        convert-index-to-spirv convert-linalg-to-affine-loops convert-linalg-to-loops
        convert-linalg-to-parallel-loops convert-linalg-to-std convert-math-to-apfloat
        convert-math-to-emitc convert-math-to-funcs convert-math-to-libm
        convert-math-to-llvm convert-math-to-rocdl convert-math-to-spirv
        convert-math-to-xevm convert-memref-to-emitc convert-memref-to-spirv
        convert-nvgpu-to-nvvm convert-nvvm-to-llvm convert-openacc-to-scf
        convert-openmp-to-llvm convert-pdl-to-pdl-interp convert-scf-to-cf
        convert-scf-to-emitc convert-scf-to-openmp convert-scf-to-spirv convert-shape-to-std
        convert-shard-to-mpi convert-spirv-to-llvm convert-tensor-to-spirv convert-to-emitc
        convert-to-llvm convert-ub-to-llvm convert-ub-to-spirv convert-vector-to-llvm
        convert-vector-to-scf convert-vector-to-spirv convert-xegpu-to-xevm
        convert-xevm-to-llvm decorate-spirv-composite-type-layout
        ensure-debug-info-scope-on-llvm-func finalize-memref-to-llvm gpu-module-to-binary
        gpu-to-llvm llvm-add-comdats llvm-legalize-for-export llvm-request-c-wrappers
        llvm-target-to-data-layout llvm-target-to-target-features
        llvm-use-default-visibility lower-affine lower-host-to-llvm lower-quant-ops
        lower-sparse-foreach-to-scf lower-sparse-iteration-to-scf
        lower-sparse-ops-to-foreach map-memref-spirv-storage-class
        mlprogram-pipeline-globals set-llvm-module-datalayout
        sparse-storage-specifier-to-llvm spirv-lower-abi-attrs spirv-rewrite-inserts
        spirv-unify-aliased-resource spirv-update-vce spirv-webgpu-prepare
        wrap-emitc-func-in-class
    """,
    pass_type.CLEANUP: """
        canonicalize cse reconcile-unrealized-casts remove-dead-values sccp strip-debuginfo
        symbol-dce symbol-privatize
    """,
}

_IDEMPOTENT = """
    cse reconcile-unrealized-casts strip-debuginfo symbol-dce topological-sort
    canonicalize remove-dead-values sccp
"""
"""A second run right after the first finds nothing to do, up to limits on iterations."""

_ONLY_LOOK = "print-ir print-op-stats view-op-graph"
"""They leave everything as it is, so that a second look shows what the first one did."""


def declare(table: DeclarationTable) -> None:
    """Add what is known of MLIR's own passes; an entry point names it."""
    for kind, names in _TYPES.items():
        table.declare(Declarations(types=(kind,)), *names.split(), ir="mlir")
    table.declare(Declarations(idempotent=True), *_IDEMPOTENT.split(), ir="mlir")
    only_looks = Declarations(preserves=(AllAnalyses,), idempotent=True)
    table.declare(only_looks, *_ONLY_LOOK.split(), ir="mlir")
