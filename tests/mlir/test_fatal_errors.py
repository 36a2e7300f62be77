"""Fatal errors of LLVM's end the tool as they end mlir-opt, whatever thread they come from."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>, %i: index) kernel {
    %v = memref.load %a[%i] : memref<4xf32>
    %m = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %m, %w : f32
    memref.store %s, %a[%i] : memref<4xf32>
    gpu.return
  }
}
"""


@pytest.mark.parametrize(
    "flags", [[], ["--mlir-pass-statistics"], ["--mlir-timing"], ["--mlir-disable-threading"]]
)
def test_a_fatal_error_is_one_line(tmp_path: Path, flags: list[str]) -> None:
    """A chip that LLVM does not know ends by LLVM's words and exit code 1, without a stack."""
    file = tmp_path / "k.mlir"
    file.write_text(SOURCE, encoding="utf-8")
    command = [
        "-m",
        "passel",
        "--ir=mlir",
        "--gpu-lower-to-nvvm-pipeline=cubin-chip=sm_999",
        *flags,
    ]
    done = subprocess.run(
        [sys.executable, *command, str(file)], capture_output=True, text=True, check=False
    )
    said = [line for line in done.stderr.splitlines() if "not a recognized" not in line]
    assert said == ["LLVM ERROR: Cannot select: intrinsic %llvm.nvvm.shfl.sync.bfly.f32"]
    assert (done.returncode, done.stdout) == (1, "")
