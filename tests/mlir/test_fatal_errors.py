"""Fatal errors of LLVM's end the tool with the pass and the op, whatever thread they come from."""

from __future__ import annotations

import re
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


LINE = "LLVM ERROR: Cannot select: intrinsic %llvm.nvvm.shfl.sync.bfly.f32"


def words_of(file: Path, *flags: str) -> list[str]:
    """Return the last lines of a run that a chip which LLVM does not know ends."""
    file.write_text(SOURCE, encoding="utf-8")
    command = [sys.executable, "-m", "passel", "--ir=mlir"]
    command += ["--gpu-lower-to-nvvm-pipeline=cubin-chip=sm_999", *flags, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=file.parent)
    assert (done.returncode, done.stdout) == (1, "")
    return [line for line in done.stderr.splitlines() if "not a recognized" not in line]


@pytest.mark.parametrize(
    "flags", [[], ["--mlir-pass-statistics"], ["--mlir-timing"], ["--mlir-disable-threading"]]
)
def test_a_fatal_error_is_a_line_and_the_pass(tmp_path: Path, flags: list[str]) -> None:
    """A chip that LLVM does not know ends by LLVM's words, the pass and exit code 1."""
    said = words_of(tmp_path / "k.mlir", *flags)
    assert said[0] == LINE
    assert re.fullmatch("passel-opt: note: in pass '.*' on 'builtin.module' \\[.*\\]", said[1])
    assert len(said) == 2


def test_a_fatal_error_says_what_it_has_left_behind(tmp_path: Path) -> None:
    """The reproducer that was written ahead is named, and the record."""
    (tmp_path / "r.mlir.running").write_text("of another crash")
    flag = "--mlir-pass-pipeline-crash-reproducer=r.mlir"
    said = words_of(tmp_path / "k.mlir", flag, "--record=r.passel")
    assert said[2:] == [
        "passel-opt: note: to replay: passel-opt --run-reproducer --ir=mlir r.mlir.1.running",
        "passel-opt: note: passel-report r.passel shows what had run",
    ]


WORKERS = """
from mlir.dialects.func import FuncOp
from passel import OperationPass

class Erase(OperationPass[FuncOp]):
    "Erase an op that has uses."
    name = "erase-used"

    def run(self, op, ctx):
        if op.sym_name.value == "f7":
            op.body.blocks[0].operations[0].erase()
"""


def test_a_fatal_error_in_a_worker_names_the_pass(tmp_path: Path) -> None:
    """Which of several passes it was is said, and no way on: the run goes on, and says it."""
    (tmp_path / "erase.py").write_text(WORKERS)
    body = "() -> i32 { %0 = arith.constant 1 : i32\nreturn %0 : i32 }"
    (tmp_path / "f.mlir").write_text("".join(f"func.func @f{n}{body}\n" for n in range(9)))
    command = [sys.executable, "-m", "passel", "--ir=mlir", "f.mlir", "-j2"]
    command += ["--load-pass-plugin=erase.py", "-p=builtin.module(func.func(cse,erase-used))"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    place = "'func.func' @f7 [builtin.module/func.func/1:erase-used]"
    assert f"passel-opt: note: in pass 'erase-used' on {place}\n" in done.stderr
    assert "the process that ran passes on it ended with exit code 1" in done.stderr
