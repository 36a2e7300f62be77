"""CHECK lines that are made from an output."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from passel.testing import run_passes
from passel.testing.idle_checks import check_lines, idle_checks
from passel.testing.updated_checks import SPLIT, updated

SOURCE = """\
// A test.
// CHECK: old
func.func @f(%x: i32, %c: i1) -> i32 {
  %a = arith.addi %x, %x : i32
  %s:2 = scf.if %c -> (i32, i32) {
    scf.yield %a, %x : i32, i32
  } else {
    scf.yield %x, %x : i32, i32
  }
  cf.cond_br %c, ^one(%s#0 : i32), ^two
^one(%b: i32):
  func.return %b : i32
^two:
  func.return %s#1 : i32
}

// OTHER: stays
func.func private @g(i32) -> i32
// -----
func.func @h() -> tensor<2x2xi32> attributes {a.b = "%x // pred [[ {{", a.c = affine_map<(d0) -> (d0)>} {
  %n = arith.constant -1 : i32
  "test.op"(%n) : (i32) -> ()
  %0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  func.return %0 : tensor<2x2xi32>
}
"""


def _outputs(source: str, adapter: str) -> list[str]:
    pipeline = "builtin.module(func.func(cse))"
    return [run_passes(part, pipeline, adapter=adapter).text for part in source.split(SPLIT)]


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
def test_llvms_filecheck_takes_them(adapter: str, tmp_path: Path) -> None:
    """What is made from an output is fulfilled by it, and not by one in which a line differs."""
    outputs = _outputs(SOURCE, adapter)
    file = tmp_path / "checks.mlir"
    file.write_text(updated(SOURCE, outputs))
    llvm = find_spec("llvm")
    folders = (llvm and llvm.submodule_search_locations) or ()
    (program,) = [path for each in folders if (path := Path(each, "bin", "FileCheck")).exists()]
    output = f"{SPLIT}\n".join(f"{each}\n" for each in outputs)
    for text, code in ((output, 0), (output.replace("scf.if", "scf.of"), 1)):
        done = subprocess.run(
            [program, file], input=text, text=True, check=False, capture_output=True
        )
        assert done.returncode == code, done.stderr


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
def test_they_are_made_once(adapter: str) -> None:
    """Made again, they are the same; other lines stay; none of them can never fail."""
    outputs = _outputs(SOURCE, adapter)
    text = updated(SOURCE, outputs)
    assert updated(text, outputs) == text
    own = {line.line for line in check_lines(text)}
    rest = [line for number, line in enumerate(text.splitlines(), 1) if number not in own]
    assert rest == [line for line in SOURCE.splitlines() if line != "// CHECK: old"]
    assert idle_checks(text) == []


def test_what_is_new_in_the_output_comes_in_its_order() -> None:
    """Ops that the input lacks get their lines where the output has them."""
    source = "func.func private @a()\nfunc.func private @c()\n"
    new = updated(
        source,
        [
            "module {\n  func.func private @a()\n  func.func private @b()\n  func.func private @c()\n}"
        ],
    )
    names = [line.pattern[-3] for line in check_lines(new)]
    assert names == ["a", "b", "c"]
