"""Targets of xDSL that need what is not installed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tool_fixtures import Tool


@pytest.mark.parametrize("flags", [[], ["--compat=xdsl"]], ids=["passel", "compat"])
def test_a_target_whose_package_is_missing_is_one_clear_line(
    flags: list[str], tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-t llvm` without llvmlite names the target and what it needs, and prints nothing else."""
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.delitem(sys.modules, "xdsl.backend.llvm.convert", raising=False)
    done = tool("in.mlir", *flags, "-t", "llvm")
    message = "target 'llvm' needs the Python module 'llvmlite', which is not installed"
    assert (done.code, done.out) == (1, "")
    assert done.err == f"passel-opt: error: {message}\n"
