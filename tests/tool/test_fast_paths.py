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
    assert "func.return" in tool(str(file), "--compat=xdsl", "--no-fast-paths").out
