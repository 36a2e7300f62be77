"""Kernels of linear algebra at three levels, as compilers lower them: real code to measure."""

import subprocess
import sys
from pathlib import Path

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
