"""Fatal errors of LLVM's end the tool with the pass and the op, whatever thread they come from."""

from __future__ import annotations

import re
import subprocess
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


LINE = "LLVM ERROR: Cannot select: intrinsic %llvm.nvvm.shfl.sync.bfly.f32"


def words_of(programs: Path, file: Path, *flags: str) -> list[str]:
    """Return the last lines of a run that a chip which LLVM does not know ends."""
    file.write_text(SOURCE, encoding="utf-8")
    command = [programs / "passel-opt", "--ir=mlir"]
    command += ["--gpu-lower-to-nvvm-pipeline=cubin-chip=sm_999", *flags, file]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=file.parent)
    assert (done.returncode, done.stdout) == (1, "")
    return [line for line in done.stderr.splitlines() if "not a recognized" not in line]


@pytest.mark.parametrize("flags", [[], ["--mlir-pass-statistics"]])
def test_a_fatal_error_is_a_line_and_the_pass(
    programs: Path, tmp_path: Path, flags: list[str]
) -> None:
    """A chip that LLVM does not know ends by LLVM's words, the pass and exit code 1."""
    said = words_of(programs, tmp_path / "k.mlir", *flags)
    assert said[0] == LINE
    assert re.fullmatch("passel-opt: note: in pass '.*' on 'builtin.module' \\[.*\\]", said[1])
    assert len(said) == 2


def test_a_fatal_error_says_what_it_has_left_behind(programs: Path, tmp_path: Path) -> None:
    """The reproducer that was written ahead is named, and the record."""
    (tmp_path / "r.mlir.running").write_text("of another crash")
    flag = "--mlir-pass-pipeline-crash-reproducer=r.mlir"
    said = words_of(programs, tmp_path / "k.mlir", flag, "--record=r.passel")
    assert said[2:] == [
        "passel-opt: note: to replay: passel-opt --run-reproducer --ir=mlir r.mlir.1.running",
        "passel-opt: note: to see what ran: passel-report r.passel",
    ]
