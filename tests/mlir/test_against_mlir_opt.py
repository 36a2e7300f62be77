"""Real files through MLIR's own passes: what comes out is mlir-opt's output, byte for byte."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

import pytest
from event_recorder import EventRecorder
from mlir.ir import Context
from xdsl_inputs import CORPUS, REAL_FILES

from passel import PassFailedError, PassManager
from passel.instruments import Timing
from passel.instruments.ir_printer import PrintIR
from passel.mlir import parse_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tool_fixtures import MlirOpt

    from passel.hooks import PassInstrumentation

UNREGISTERED = "--allow-unregistered-dialect"


class Case(NamedTuple):
    """A file and what is run on it.

    Attributes:
        file: A name among our inputs, or a path in xDSL's tests.
        pipeline: What is run.
    """

    file: str
    pipeline: str


CLEAN = "builtin.module(func.func(cse,canonicalize),symbol-dce)"

AFFINE_TO_LLVM = (
    "builtin.module(func.func(lower-affine,convert-scf-to-cf),cse,expand-strided-metadata,"
    "lower-affine,convert-arith-to-llvm,convert-math-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"
)

LINALG_TO_LLVM = (
    "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true},"
    "func.func(convert-linalg-to-loops,convert-scf-to-cf),expand-strided-metadata,lower-affine,"
    "convert-arith-to-llvm,convert-math-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts)"
)

VECTOR_TO_LLVM = (
    "builtin.module(func.func(convert-vector-to-scf,convert-scf-to-cf),"
    "convert-vector-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,convert-index-to-llvm,reconcile-unrealized-casts,canonicalize)"
)

READABLE = (
    "affine_loops arith_folding bufferization cf_loop cf_switch complex_numbers func_recursion "
    "gpu_kernels gpu_launch index_arithmetic linalg_generic linalg_named llvm_functions "
    "math_functions memref_matmul memref_views nested_modules pdl_patterns scf_for scf_if "
    "scf_parallel scf_while tensor_shapes unregistered_ops vector_ops visibility"
)
"""Our inputs without dialects that only xDSL has."""

CASES = (
    # One pass each.
    Case("affine_loops", "builtin.module(func.func(affine-loop-fusion))"),
    Case("affine_loops", "builtin.module(func.func(affine-loop-unroll{unroll-factor=3}))"),
    Case("arith_folding", "builtin.module(canonicalize{max-iterations=1 top-down=false})"),
    Case("arith_folding", "builtin.module(int-range-optimizations)"),
    Case("func_recursion", "builtin.module(inline{default-pipeline=cse max-iterations=2})"),
    Case("gpu_launch", "builtin.module(gpu-kernel-outlining)"),
    Case("linalg_generic", "builtin.module(func.func(linalg-fuse-elementwise-ops))"),
    Case("llvm_functions", "builtin.module(llvm.func(cse,canonicalize))"),
    Case("scf_for", "builtin.module(func.func(scf-for-loop-canonicalization))"),
    Case("scf_parallel", "builtin.module(func.func(scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,4}))"),
    Case("visibility", "builtin.module(symbol-privatize{exclude=main})"),
    Case("pdl_patterns", "builtin.module(convert-pdl-to-pdl-interp)"),
    # Several passes and nesting.
    *(Case(file, CLEAN) for file in READABLE.split()),
    Case("nested_modules", "builtin.module(builtin.module(func.func(cse,canonicalize)),inline)"),
    Case("gpu_kernels", "builtin.module(gpu.module(gpu.func(cse,canonicalize),symbol-dce),func.func(cse),any(canonicalize))"),
    # All the way down.
    Case("affine_loops", AFFINE_TO_LLVM),
    Case("func_recursion", AFFINE_TO_LLVM),
    Case("linalg_generic", LINALG_TO_LLVM),
    Case("vector_ops", VECTOR_TO_LLVM),
    Case("tensor_shapes", "builtin.module(sparsifier)"),
    # xDSL's tests of dialects and of conversions.
    Case("dialects/builtin/unrealized_conv_cast.mlir", "builtin.module(reconcile-unrealized-casts)"),
    Case("dialects/cf/canonicalize.mlir", "builtin.module(sccp,symbol-dce)"),
    Case("dialects/emitc/emitc_ops.mlir", "builtin.module(form-expressions)"),
    Case("dialects/func/func_ops.mlir", "builtin.module(inline,convert-func-to-llvm)"),
    Case("mlir-conversion/with-mlir/dialects/memref/matmul.mlir", AFFINE_TO_LLVM),
    Case("mlir-conversion/with-mlir/dialects/omp/ops.mlir", "builtin.module(canonicalize)"),
    Case("mlir-conversion/with-mlir/dialects/scf/parallel_with_reduce.mlir", "builtin.module(convert-scf-to-openmp)"),
    Case("projects/riscv-backend-paper/nsnet.mlir", "builtin.module(func.func(convert-linalg-to-affine-loops))"),
    Case("transforms/linalg_generalize_named_ops.mlir", "builtin.module(linalg-generalize-named-ops)"),
    Case("transforms/scf-parallel-loop-tiling-partial.mlir", "builtin.module(func.func(scf-parallel-loop-tiling))"),
    Case("projects/transform_frontend/tile.mlir", "builtin.module(transform-interpreter)"),
)  # fmt: skip

FAILING = (
    Case("gpu_launch", "builtin.module(gpu-kernel-outlining,gpu.module(convert-gpu-to-nvvm,canonicalize))"),
    Case("dialects/arith/arith_ops.mlir", "builtin.module(convert-arith-to-llvm)"),
    Case("dialects/complex/ops.mlir", "builtin.module(convert-complex-to-llvm)"),
    Case("dialects/scf/scf_ops.mlir", "builtin.module(canonicalize,convert-scf-to-cf)"),
    Case("mlir-conversion/with-mlir/dialects/tensor/ops.mlir", "builtin.module(one-shot-bufferize)"),
)  # fmt: skip

WATCHED: dict[str, Callable[[], list[PassInstrumentation]]] = {
    "unwatched": list,
    "recorded": lambda: [EventRecorder()],
    "timed": lambda: [Timing()],
    "printed": lambda: [PrintIR(after=True, stream=StringIO())],
}


def path_of(name: str) -> Path:
    """Return a file: one of ours, or one of xDSL's tests."""
    if not name.endswith(".mlir"):
        return REAL_FILES / f"{name}.mlir"
    return CORPUS / name


def new_context() -> Context:
    """Return a context for whatever ops are in a file."""
    context = Context()
    context.allow_unregistered_dialects = True
    return context


def name_of(case: Case) -> str:
    """Return what a case is called in a report."""
    return f"{case.file}-{case.pipeline[15:70]}"


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.sweep] if number % 2 else [], id=name_of(case))
        for number, case in enumerate(CASES)
    ],
)
def test_same_output(case: Case, mlir_opt: MlirOpt) -> None:
    """However a run is observed, its result is that of mlir-opt."""
    file = path_of(case.file)
    done = mlir_opt(str(file), UNREGISTERED, f"--pass-pipeline={case.pipeline}")
    assert done.code == 0, done.err
    context = new_context()
    for how, instrumentations in WATCHED.items():
        module = parse_file(file, context)
        manager = PassManager.parse(case.pipeline, context)
        for instrumentation in instrumentations():
            manager.add_instrumentation(instrumentation)
        manager.run(module)
        assert f"{module}\n" == done.out, how


@pytest.mark.parametrize("case", FAILING, ids=name_of)
def test_same_errors(case: Case, mlir_opt: MlirOpt) -> None:
    """What mlir-opt reports is reported, place and text, before what passel says of the pass."""
    file = path_of(case.file)
    done = mlir_opt(str(file), UNREGISTERED, f"--pass-pipeline={case.pipeline}")
    assert done.code == 1
    expected = [line for line in done.err.splitlines() if line.startswith(str(file))]
    assert expected
    seen: list[list[str]] = []
    for instrumentations in WATCHED.values():
        module = parse_file(file, new_context())
        manager = PassManager.parse(case.pipeline, module.context)
        for instrumentation in instrumentations():
            manager.add_instrumentation(instrumentation)
        with pytest.raises(PassFailedError) as caught:
            manager.run(module, on_diagnostic=lambda _: None)
        last = caught.value.failures[-1]
        if last.kind == "invalid":  # what it shows is the op itself
            expected = [line for line in expected if "note: see current operation" not in line]
        found = [
            f"{each.location}: {each.severity.value}: {each.message}".partition("\n")[0]
            for diagnostic in caught.value.diagnostics
            if diagnostic is not last.diagnostic or last.kind == "invalid"
            for each in (diagnostic, *diagnostic.notes)
        ]
        assert found == expected
        seen.append([*map(str, caught.value.failures)])
    assert all(failures == seen[0] for failures in seen)
