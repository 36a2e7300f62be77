"""Targets of xDSL that need what is not installed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tool_fixtures import Tool


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "passel-opt: error: target 'llvm' needs the Python module 'llvmlite'"),
        (["--compat=xdsl"], "ModuleNotFoundError: No module named 'llvmlite"),
    ],
    ids=["passel", "compat"],
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
