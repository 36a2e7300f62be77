"""Flags that are about xDSL alone: its targets, and fast paths in place of its code."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tool_fixtures import Tool

REPORT = """
import sys
from passel import Pass
from passel.xdsl import fast


class Report(Pass):
    name = "say-which"

    def run(self, op, ctx):
        print(f"fast paths: {fast.are_on()}", file=sys.stderr)
"""


def test_fast_paths_are_turned_off(tool: Tool) -> None:
    """With `--no-fast-paths` none is taken in that run, and in the next one they are."""
    Path("report_fast.py").write_text(REPORT)
    words = ("in.mlir", "--load-pass-plugin=report_fast.py", "--say-which", "-j1")
    assert "fast paths: False" in tool(*words, "--no-fast-paths").err
    assert "fast paths: True" in tool(*words).err
    assert "PASSEL_FAST" not in os.environ
    assert "func.return" in tool("in.mlir", "--compat=xdsl", "--no-fast-paths").out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "passel-opt: error: target 'llvm' needs the Python module 'llvmlite'"),
        (["--compat=xdsl"], "ModuleNotFoundError: No module named 'llvmlite"),
    ],
)
def test_a_target_whose_package_is_missing_is_one_clear_line(
    flags: list[str], message: str, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-t llvm` without llvmlite names what it needs, and prints nothing else."""
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.delitem(sys.modules, "xdsl.backend.llvm.convert", raising=False)
    done = tool("in.mlir", *flags, "-t", "llvm")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith(message)
