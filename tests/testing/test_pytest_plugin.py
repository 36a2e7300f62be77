"""The pytest plugin in a separate run of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import Outcome

from passel.testing import check_passes

if TYPE_CHECKING:
    from pathlib import Path

_TESTS = """
from passel import Pass, PassFailure
from passel.testing import run_passes

class Refuse(Pass):
    name = "refuse"

    def run(self, op, ctx):
        raise PassFailure("not this one")

def test_file(check_passes):
    check_passes("in.mlir", "builtin.module(func.func(cse))")

def test_text():
    run = run_passes("func.func private @f()", "builtin.module(cse)")
    assert str(run) == "builtin.module {\\n  func.func private @f() -> ()\\n}"

def test_own_pass():
    import pytest
    from passel import PassFailedError
    with pytest.raises(PassFailedError, match="not this one"):
        run_passes("func.func private @f()", "builtin.module(refuse)", passes=[Refuse])
"""

_SOURCE = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  func.return %b : i32
}
"""


def run(folder: Path, source: str) -> Outcome:
    """Run pytest on tests of passes, in a folder with `in.mlir`."""
    (folder / "test_it.py").write_text(_TESTS)
    (folder / "in.mlir").write_text(source)
    words = [sys.executable, "-m", "pytest", "-p", "_passel_pytest", "-q"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("checks", "code"),
    [("", 1), ("// CHECK: arith.muli\n", 1), ("// CHECK: arith.addi\n// CHECK-NEXT: return\n", 0)],
    ids=["none", "wrong", "right"],
)
def test_check_lines(tmp_path: Path, checks: str, code: int) -> None:
    """Missing and wrong CHECK lines fail the test and show the output."""
    done = run(tmp_path, checks + _SOURCE)
    assert done.code == code
    assert ("The output is:\nbuiltin.module {" in done.out) == bool(code)
    assert f"{3 - code} passed" in done.out
    assert "Traceback" not in done.out


def test_invalid_ir(tmp_path: Path) -> None:
    """Invalid IR fails the test with a diagnostic and without a traceback."""
    done = run(tmp_path, "func.func @f( {")
    assert "in.mlir:1:15: error: Expected argument or type" in done.out
    assert "parse" not in done.out


def test_lines_of_later_parts(tmp_path: Path) -> None:
    """Diagnostics in later parts have the line number in the file."""
    from passel.frontend import UnreadableError

    file = tmp_path / "in.mlir"
    file.write_text(f"{_SOURCE}// -----\nfunc.func @f(\n")
    with pytest.raises(UnreadableError, match=r"in.mlir:[78]:"):
        check_passes(file, "builtin.module(func.func(cse))")
