"""The pytest plugin in a separate run of pytest, and the functions behind it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from passel import Pass, PassContext, PassFailedError, PassFailure
from passel.frontend import UnreadableError
from passel.testing import check_passes, run_passes

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

TESTS = """
import pytest

@pytest.mark.parametrize("file", ["none", "wrong", "right", "invalid"])
def test_file(check_passes, file):
    check_passes(file + ".mlir", "builtin.module(func.func(cse))")
"""

SOURCE = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  func.return %b : i32
}
"""


def test_check_lines(tmp_path: Path) -> None:
    """Missing and wrong CHECK lines and invalid IR fail the test, without a traceback."""
    for name, text in {
        "none": SOURCE,
        "wrong": f"// CHECK: arith.muli\n{SOURCE}",
        "right": f"// CHECK: arith.addi\n// CHECK-NEXT: return\n{SOURCE}",
        "invalid": "func.func @f( {",
    }.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    (tmp_path / "test_it.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "_passel_pytest", "-q", "-rN"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
    )
    failed = re.findall(r"^_+ test_file\[(\w+)\] _+$", done.stdout, re.MULTILINE)
    assert failed == ["none", "wrong", "invalid"]
    assert done.stdout.count("The output is:\nbuiltin.module {") == 2
    assert "invalid.mlir:1:15: error: Expected argument or type" in done.stdout
    assert "Traceback" not in done.stdout


def test_lines_of_later_parts(tmp_path: Path) -> None:
    """Diagnostics in later parts have the line number in the file."""
    file = tmp_path / "in.mlir"
    file.write_text(f"{SOURCE}// -----\nfunc.func @f(\n")
    with pytest.raises(UnreadableError, match=r"in.mlir:[78]:"):
        check_passes(file, "builtin.module(func.func(cse))")


class Refuse(Pass):
    """A pass that fails."""

    name = "refuse"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure("not this one")


def test_own_passes() -> None:
    """Passes given as classes can be named in the pipeline."""
    with pytest.raises(PassFailedError, match="not this one"):
        run_passes("func.func private @f()", "builtin.module(refuse)", passes=[Refuse])
