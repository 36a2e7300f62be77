"""Fast paths are turned off by a flag."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

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

SOURCE = """\
func.func @f(%a: i32) -> i32 {
  func.return %a : i32
}
"""


def test_the_flag_turns_them_off(tool: Tool, tmp_path: Path) -> None:
    """With `--no-fast-paths` none is taken in that run, and in the next one they are."""
    plugin, file = tmp_path / "report_fast.py", tmp_path / "in.mlir"
    plugin.write_text(REPORT, encoding="utf-8")
    file.write_text(SOURCE, encoding="utf-8")
    words = (str(file), f"--load-pass-plugin={plugin}", "--say-which", "-j", "1")
    assert "fast paths: False" in tool(*words, "--no-fast-paths").err
    assert "fast paths: True" in tool(*words).err
    assert "PASSEL_FAST" not in os.environ


def test_the_flag_beside_xdsl_opt(tool: Tool, tmp_path: Path) -> None:
    """As xdsl-opt, which has no such flag, the tool takes it as well."""
    file = tmp_path / "in.mlir"
    file.write_text(SOURCE, encoding="utf-8")
    outcome = tool(str(file), "--compat=xdsl", "--no-fast-paths")
    assert outcome.code == 0
    assert "func.return" in outcome.out


def test_the_flag_is_for_xdsl(tool: Tool) -> None:
    """Where another IR is processed the flag means nothing, and that is said."""
    assert (
        "'--no-fast-paths' is for --ir=xdsl" in tool("--ir=mlir", "--no-fast-paths", "x.mlir").err
    )
