"""Pipelines on command lines that are not UTF-8: an error with its place, on either IR."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PIPELINES = [
    b"builtin.module(cs\xffe)",
    b"builtin.module(canonicalize{top-down=\xff})",
    b"builtin.module(canonicalize{\xff=1})",
    b"builtin.module(func.f\xff(cse),func.func(cse))",
    b"builtin.module(inline{op-pipelines=func.func(c\xff)})",
    b"any(\xff)",
    b"buil\xff(cse)",
]


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_bytes_that_are_no_text(tmp_path: Path, programs: Path, ir: str, pipeline: bytes) -> None:
    """What is wrong is said in a line with a caret below it, not by a traceback."""
    (tmp_path / "in.mlir").write_text("func.func @f() { return }")
    command = [programs / "passel-opt", f"--ir={ir}", "in.mlir", b"-p", pipeline]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, b"")
    first, *shown, caret = done.stderr.decode().splitlines()
    assert re.match(r"--pass-pipeline:1:\d+: error: ", first)
    assert shown == [os.fsdecode(pipeline).replace("\udcff", r"\udcff")]
    assert "^" in caret
