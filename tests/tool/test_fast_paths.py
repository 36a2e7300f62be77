"""Fast paths are turned off by a flag or the environment, and checked against the slow ways."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import Tool

    Run = Callable[..., Outcome]

REPORT = """
import sys
from passel import Pass
from passel.xdsl import fast


class Report(Pass):
    name = "say-which"

    def run(self, op, ctx):
        print(f"fast paths: {fast.are_on()}", file=sys.stderr)
"""

BROKEN = f"""
{REPORT}
from passel.xdsl.fast.printer import FastPrinter

FastPrinter.print_ssa_value = lambda self, value: self.print_string("%wrong")
"""

SOURCE = """\
func.func @f(%a: i32) -> i32 {
  func.return %a : i32
}
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run passel-opt as a program, with a plugin and a source, and `PASSEL_FAST` set.

    Not one that is warm already: `check` starts the command of the process again.
    """
    (tmp_path / "in.mlir").write_text(SOURCE, encoding="utf-8")

    def run(plugin: str, fast: str, *words: str, stdin: str = "") -> Outcome:
        (tmp_path / "plugin_of_fast.py").write_text(plugin, encoding="utf-8")
        done = subprocess.run(
            [
                Path(sys.executable).with_name("passel-opt"),
                "--load-pass-plugin=plugin_of_fast.py",
                *words,
            ],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, "PASSEL_FAST": fast},
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


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


@pytest.mark.parametrize("way", ["file", "stdin"])
def test_check_runs_both_ways(run: Run, way: str) -> None:
    """With `PASSEL_FAST=check` both ways are taken, and the result is that of one run."""
    words = ["in.mlir"] if way == "file" else []
    outcome = run(REPORT, "check", *words, "--say-which", stdin=SOURCE)
    assert outcome.code == 1
    assert "fast paths: True\n" in outcome.err
    assert "-fast paths: False\n+fast paths: True\n" in outcome.err  # the plugin tells them apart
    assert outcome.out.count("func.func @f") == 1


def test_check_finds_a_difference(run: Run) -> None:
    """Where the two differ the exit code is 1, and the lines that differ are shown."""
    outcome = run(BROKEN, "check", "in.mlir")
    assert outcome.code == 1
    assert "passel-opt: error: with fast paths the result is another one:" in outcome.err
    assert "+    func.return %wrong : i32" in outcome.err
    assert run(BROKEN, "0", "in.mlir").code == 0


def test_check_of_an_error(run: Run) -> None:
    """An error that both ways give is reported once, with its exit code."""
    outcome = run(REPORT, "check", "missing.mlir")
    assert outcome.code == 1
    assert outcome.err.count("error:") == 1
