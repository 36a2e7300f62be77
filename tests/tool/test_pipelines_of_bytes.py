"""Pipelines on command lines that are not UTF-8: an error with its place, on either IR."""

from __future__ import annotations

import os
import subprocess
import sys
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
]


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_bytes_that_are_no_text(tmp_path: Path, ir: str, pipeline: bytes) -> None:
    """What is wrong is said in a line with a caret below it, not by a traceback."""
    (tmp_path / "in.mlir").write_text("func.func @f() { return }")
    command = [os.fsencode(sys.executable), b"-m", b"passel", f"--ir={ir}".encode(), b"in.mlir"]
    done = subprocess.run(
        [*command, b"-p", pipeline], cwd=tmp_path, capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, b"")
    first, shown, caret = done.stderr.decode().splitlines()
    assert first.startswith("--pass-pipeline:1:")
    assert ": error: " in first
    assert shown == os.fsdecode(pipeline).replace("\udcff", r"\udcff")
    assert "^" in caret


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_an_anchor_at_the_top_that_is_no_text(tmp_path: Path, ir: str) -> None:
    """There is no op of that name either."""
    (tmp_path / "in.mlir").write_text("func.func @f() { return }")
    command = [os.fsencode(sys.executable), b"-m", b"passel", f"--ir={ir}".encode(), b"in.mlir"]
    done = subprocess.run(
        [*command, b"-p", b"buil\xff(cse)"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert r"can't run 'buil\udcff' pass manager on 'builtin.module' op" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
