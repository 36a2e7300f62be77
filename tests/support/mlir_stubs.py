"""Stubs of MLIR's ops and passes, which pipelines can be built and run with as mlir-opt does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from passel import (
    InterfacePass,
    OperationPass,
    Options,
    Pass,
    PassFailure,
    PassManager,
    option,
)
from passel.ir import OpKind
from passel.manager import OpPassManager
from passel.passes import PassRegistry
from passel.pipeline import OptionText, quote
from passel.testing import ToyAdapter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel import PassContext
    from passel.testing import ToyOp


# -- The same ops ----------------------------------------------------------------------------


class FunctionOpInterface:
    """Interface of ops that are functions."""


def _kind(name: str, *, isolated: bool = True, function: bool = False) -> OpKind:
    def implements(interface: type) -> bool:
        return function and interface is FunctionOpInterface

    return OpKind(name, registered=True, isolated=isolated, implements=implements)


class MlirLikeAdapter(ToyAdapter):
    """The adapter of the toy IR with op names of MLIR's."""

    name = "mlir-like"
    kinds = {  # noqa: RUF012 - a constant
        kind.name: kind
        for kind in (
            _kind("builtin.module"),
            _kind("func.func", function=True),
            _kind("func.call", isolated=False),
            _kind("gpu.module"),
            _kind("gpu.func", function=True),
            _kind("llvm.func", function=True),
            _kind("scf.for", isolated=False),
            _kind("scf.execute_region", isolated=False),
        )
    }


# -- The same passes: names, anchors, option types and defaults as `mlir-opt --help` has them ----


@dataclass(frozen=True)
class Elements:
    """Option value: bare elements, parsed when they are given but kept as they are written."""

    text: str = ""

    @classmethod
    def from_option_text(cls, text: OptionText, scope: Any) -> Elements:
        """Check that the elements can be built."""
        PassManager.parse(f"any({text.text})", registry=scope)
        return cls(text.text)

    def to_option_text(self, *, all_options: bool) -> str:
        """Return the text."""
        return quote(self.text)


class Inert:
    """What makes a pass one that can run, without effect."""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do nothing."""


class AffineLoopFusion(Inert, Pass):
    """Fuse affine loop nests."""

    name = "affine-loop-fusion"
    compute_tolerance: float = 0.3
    fast_mem_space: int = 0
    local_buf_threshold: int = 0
    maximal: bool = False
    mode: Literal["greedy", "producer", "sibling"] = "greedy"


class AffineLoopUnroll(Inert, InterfacePass[FunctionOpInterface]):
    """Unroll affine loops."""

    name = "affine-loop-unroll"
    cleanup_unroll: bool = False
    unroll_factor: int = 4
    unroll_full_threshold: int = 1
    unroll_num_reps: int = 1
    unroll_up_to_factor: bool = False


class AffineSuperVectorize(Inert, OperationPass[Any]):
    """Vectorize to a target independent n-D vector abstraction."""

    name = "affine-super-vectorize"
    anchor = "func.func"
    test_fastest_varying: tuple[int, ...] = ()
    vectorize_reductions: bool = False
    virtual_vector_size: tuple[int, ...] = ()


class ArithIntRangeNarrowing(Inert, Pass):
    """Reduce integer operations bitwidth based on integer range analysis."""

    name = "arith-int-range-narrowing"
    int_bitwidths_supported: tuple[int, ...] = ()


class BufferDeallocationSimplification(Inert, Pass):
    """Optimize `bufferization.dealloc` operations."""

    name = "buffer-deallocation-simplification"


class BufferizationLowerDeallocations(Inert, Pass):
    """Lower `bufferization.dealloc` operations."""

    name = "bufferization-lower-deallocations"


class Canonicalizer(Inert, Pass):
    """Canonicalize operations."""

    name = "canonicalize"
    disable_patterns: tuple[str, ...] = ()
    enable_patterns: tuple[str, ...] = ()
    max_iterations: int = 10
    max_num_rewrites: int = -1
    region_simplify: Literal["disabled", "normal", "aggressive"] = "normal"
    test_convergence: bool = False
    top_down: bool = True


class CompositeFixedPointPass(Inert, Pass):
    """Composite fixed point pass."""

    name = "composite-fixed-point-pass"
    max_iterations: int = 10
    title: str = option(default="CompositeFixedPointPass", name="name")
    pipeline: Elements = Elements()


class ConvertArithToLLVM(Inert, Pass):
    """Convert Arith dialect to LLVM dialect."""

    name = "convert-arith-to-llvm"
    index_bitwidth: int = 0


class ConvertGpuToNVVM(Inert, OperationPass[Any]):
    """Generate NVVM operations for gpu operations."""

    name = "convert-gpu-to-nvvm"
    anchor = "gpu.module"
    allow_pattern_rollback: bool = True
    allowed_dialects: tuple[str, ...] = ()
    has_redux: bool = False
    index_bitwidth: int = 0
    use_bare_ptr_memref_call_conv: bool = False


class CSE(Inert, Pass):
    """Eliminate common sub-expressions."""

    name = "cse"


class ExpandRealloc(Inert, Pass):
    """Expand memref.realloc operations into its components."""

    name = "expand-realloc"
    emit_deallocs: bool = True


class GpuModuleToBinary(Inert, Pass):
    """Transform a GPU module into a GPU binary."""

    name = "gpu-module-to-binary"
    format: str = "fatbin"
    libraries: tuple[str, ...] = option(default=(), name="l")
    opts: str = ""
    section: str = ""
    toolkit: str = ""


class Inliner(Inert, Pass):
    """Inline function calls."""

    name = "inline"
    default_pipeline: str = "canonicalize"
    inlining_threshold: int = 2**32 - 1
    max_iterations: int = 4
    op_pipelines: tuple[OpPassManager, ...] = ()


class LinalgDetensorize(Inert, InterfacePass[FunctionOpInterface]):
    """Detensorize linalg ops."""

    name = "linalg-detensorize"
    aggressive_mode: bool = False


class Mem2Reg(Inert, Pass):
    """Promotes memory slots into values."""

    name = "mem2reg"
    region_simplify: bool = True


class NVVMAttachTarget(Inert, Pass):
    """Attaches an NVVM target attribute to a GPU Module."""

    name = "nvvm-attach-target"
    level: int = option(default=2, name="O")
    chip: str = "sm_50"
    fast: bool = False
    features: str = ""
    ftz: bool = False
    libraries: tuple[str, ...] = option(default=(), name="l")
    module: str = ""
    ptxas_cmd_options: str = ""
    triple: str = "nvptx64-nvidia-cuda"


class OwnershipBasedBufferDeallocation(Inert, Pass):
    """Add all required dealloc operations."""

    name = "ownership-based-buffer-deallocation"
    private_function_dynamic_ownership: bool = False


class PrintOpStats(Inert, Pass):
    """Print statistics of operations."""

    name = "print-op-stats"
    json: bool = False


class PromoteBuffersToStack(Inert, OperationPass[Any]):
    """Promotes heap-based allocations to automatically managed stack-based allocations."""

    name = "promote-buffers-to-stack"
    anchor = "func.func"
    max_alloc_size_in_bytes: int = 1024
    max_rank_of_allocated_memref: int = 1


class RemoveDeadValues(Inert, Pass):
    """Remove dead values."""

    name = "remove-dead-values"
    canonicalize: bool = True


class SCFParallelLoopTiling(Inert, Pass):
    """Tile parallel loops."""

    name = "scf-parallel-loop-tiling"
    no_min_max_bounds: bool = False
    parallel_loop_tile_sizes: tuple[int, ...] = ()


class ShardingPropagation(Inert, InterfacePass[FunctionOpInterface]):
    """Propagate shardings."""

    name = "sharding-propagation"
    traversal: Literal["forward", "backward", "forward-backward", "backward-forward"] = (
        "backward-forward"
    )

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Fail on declarations, as the real one does."""
        if not op.body:
            raise PassFailure("only one block is supported!")


class StripDebugInfo(Inert, Pass):
    """Strip debug info from all operations."""

    name = "strip-debuginfo"


class SymbolDCE(Inert, Pass):
    """Eliminate dead symbols."""

    name = "symbol-dce"


class SymbolPrivatize(Inert, Pass):
    """Mark symbols private."""

    name = "symbol-privatize"
    exclude: tuple[str, ...] = ()


class TosaAttachTarget(Inert, Pass):
    """Attach tosa.target_env information to the given module."""

    name = "tosa-attach-target"
    extensions: tuple[str, ...] = ()
    level: Literal["8k", "none"] = "8k"
    profiles: tuple[str, ...] = ()
    specification_version: Literal["1.0", "1.1.draft"] = option(
        default="1.0", name="specification_version"
    )


class TosaInferShapes(Inert, OperationPass[Any]):
    """Propagate shapes across TOSA operations."""

    name = "tosa-infer-shapes"
    anchor = "func.func"


class TosaLayerwiseConstantFold(Inert, OperationPass[Any]):
    """Fold layerwise operations on constant tensors."""

    name = "tosa-layerwise-constant-fold"
    anchor = "func.func"
    aggressive_reduce_constant: bool = False


class TosaMakeBroadcastable(Inert, OperationPass[Any]):
    """Reshape TOSA operands to enable broadcasting."""

    name = "tosa-make-broadcastable"
    anchor = "func.func"


class TosaOptionalDecompositions(Inert, OperationPass[Any]):
    """Apply optional decompositions of TOSA operations."""

    name = "tosa-optional-decompositions"
    anchor = "func.func"


class TosaToLinalg(Inert, InterfacePass[FunctionOpInterface]):
    """Lower TOSA to LinAlg on tensors."""

    name = "tosa-to-linalg"
    aggressive_reduce_constant: bool = False
    disable_tosa_decompositions: bool = False


class TosaToLinalgNamed(Inert, InterfacePass[FunctionOpInterface]):
    """Lower TOSA to LinAlg named operations."""

    name = "tosa-to-linalg-named"
    prefer_conv2d_kernel_layout_hwcf: bool = False


class TosaValidate(Inert, Pass):
    """Validates TOSA dialect."""

    name = "tosa-validate"
    allow_invalid_op_datatype_combinations: bool = False
    strict_op_spec_alignment: bool = False


class BufferDeallocationOptions(Options):
    """Options of `buffer-deallocation-pipeline`."""

    private_function_dynamic_ownership: bool = False


def _buffer_deallocation(pm: OpPassManager, options: BufferDeallocationOptions) -> None:
    ownership = options.private_function_dynamic_ownership
    pm.add(ExpandRealloc(emit_deallocs=False), Canonicalizer())
    pm.add(OwnershipBasedBufferDeallocation(private_function_dynamic_ownership=ownership))
    pm.add(Canonicalizer(), BufferDeallocationSimplification())
    pm.add(BufferizationLowerDeallocations(), CSE(), Canonicalizer())


def _tosa_to_linalg(pm: OpPassManager) -> None:
    for pass_ in (
        TosaOptionalDecompositions(),
        Canonicalizer(),
        TosaInferShapes(),
        TosaMakeBroadcastable(),
        TosaToLinalgNamed(),
        Canonicalizer(),
        TosaLayerwiseConstantFold(),
        TosaMakeBroadcastable(),
    ):
        pm.add_nested("func.func", pass_)
    pm.add(TosaValidate())
    pm.add_nested("func.func", TosaToLinalg())


def registry_of_stubs() -> PassRegistry:
    """Return a registry with stubs of the passes that the pipelines name."""
    registry = PassRegistry()
    for pass_class in _subclasses(Pass):
        if pass_class.__module__ == __name__:
            registry.register(pass_class)
    registry.register_pipeline(
        "buffer-deallocation-pipeline", _buffer_deallocation, options=BufferDeallocationOptions
    )
    registry.register_pipeline("tosa-to-linalg-pipeline", _tosa_to_linalg)
    return registry


def _subclasses(base: type[Pass]) -> Iterator[type[Pass]]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)
