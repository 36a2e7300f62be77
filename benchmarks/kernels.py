"""Sources to measure readers and printers on: kernels as compilers lower them, and the opposite."""

import subprocess
import sys
from pathlib import Path

from inputs import functions_of_40_ops
from measuring import peer

_KERNEL = """
func.func @f{n}(%a: memref<{i}x{j}xf32>, %b: memref<{j}x{k}xf32>, %c: memref<{i}x{k}xf32>) {{
  linalg.matmul ins(%a, %b : memref<{i}x{j}xf32>, memref<{j}x{k}xf32>)
    outs(%c : memref<{i}x{k}xf32>)
  linalg.map {{ arith.addf }} ins(%c, %c : memref<{i}x{k}xf32>, memref<{i}x{k}xf32>)
    outs(%c : memref<{i}x{k}xf32>)
  return
}}
"""
_UNROLLED = (
    "builtin.module(convert-linalg-to-affine-loops,"
    "func.func(affine-loop-unroll{unroll-factor=8},affine-loop-unroll{unroll-factor=2}),"
    "lower-affine)"
)

_TO_RISCV = (
    "convert-func-to-riscv-func,convert-memref-to-riscv,convert-arith-to-riscv,"
    "convert-scf-to-riscv-scf,reconcile-unrealized-casts"
)


def inputs_of(size: int) -> dict[str, str]:
    """Return sources by what they are: those with kernels only where MLIR's tools are."""
    inputs = {
        "functions of 40 ops": functions_of_40_ops(4 * size),
        "without repetition": without_repetition(50 * size),
    }
    if peer("mlir") is not None:
        inputs["unrolled loops (scf)"] = unrolled_loops(size)
        inputs["the same with branches (cf)"] = with_branches(size)
    return inputs


def without_repetition(lines: int) -> str:
    """Return a module of which no two lines have the same shape."""
    op = '"test.op"() {{name{n} = "{n}", list = ["{n}", {n}, @f{n}]}} : () -> ()\n'
    return f"builtin.module {{\n{''.join(op.format(n=n) for n in range(lines))}}}"


def mlir_opt(source: str, *flags: str) -> str:
    """Return what mlir-opt prints."""
    command = [Path(peer("mlir").__path__[0], "bin", "mlir-opt"), *flags]
    return subprocess.run(command, input=source, check=True, capture_output=True, text=True).stdout


def unrolled_loops(kernels: int) -> str:
    """Return kernels of many sizes as loops, unrolled."""
    sizes = [(8 * (2 + n % 7), 8 * (2 + n % 5), 8 * (2 + n % 3)) for n in range(kernels)]
    source = "".join(_KERNEL.format(n=n, i=i, j=j, k=k) for n, (i, j, k) in enumerate(sizes))
    return mlir_opt(source, f"--pass-pipeline={_UNROLLED}")


def with_branches(kernels: int) -> str:
    """Return the same kernels with branches for loops."""
    return mlir_opt(unrolled_loops(kernels), "--convert-scf-to-cf")


def for_riscv(kernels: int) -> str:
    """Return the same kernels as RISC-V assembly in loops, as xDSL lowers them."""
    command = [str(Path(sys.executable).with_name("xdsl-opt")), "-p", _TO_RISCV]
    source = unrolled_loops(kernels)
    return subprocess.run(command, input=source, check=True, capture_output=True, text=True).stdout
