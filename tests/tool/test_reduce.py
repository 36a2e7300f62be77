"""passel-reduce as users start it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tool_fixtures import FUNCTION, Outcome, Tool, recorded_pipeline

from passel.tool.reduce import main

_PLUGIN = """
import time
from passel import Pass

class Bug(Pass):
    name = "bug"
    pause: float = 0.0

    def run(self, op, ctx):
        time.sleep(self.pause)
        with open("calls", "a") as file:
            file.write("x")
        if "arith.constant" in str(op):
            raise ValueError("no constants")
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, the current one, with an input and a plugin."""
    (tmp_path / "in.mlir").write_text(f"{FUNCTION}func.func @g() {{ return }}\n")
    (tmp_path / "bug.py").write_text(_PLUGIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def reduce(files: Path, programs: Path) -> Tool:
    """passel-reduce in that folder."""

    def run(*arguments: str, stdin: bytes | str | None = None) -> Outcome:
        command = [programs / "passel-reduce", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=files)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


_BUG = ("--load-pass-plugin=bug.py", "-p", "builtin.module(func.func(bug{pause=0.01},cse))")


def test_a_reproducer_is_reduced(reduce: Tool, tool: Tool, files: Path) -> None:
    """A reproducer brings its pipeline along, and the result replays."""
    tool("in.mlir", *_BUG, "--mlir-pass-pipeline-crash-reproducer=repro.mlir")
    done = reduce("repro.mlir", "--load-pass-plugin=bug.py", "-o", "small.mlir", "-j", "2")
    assert (done.code, done.out) == (0, "")
    text = (files / "small.mlir").read_text()
    assert recorded_pipeline(text) == "builtin.module(func.func(bug))"
    assert text.count("func.func @") == 1
    again = tool("--run-reproducer", "--load-pass-plugin=bug.py", "small.mlir")
    assert "'bug' crashed: ValueError: no constants" in again.err


def test_ctrl_c_leaves_the_smallest_case(files: Path) -> None:
    """After Ctrl-C, the smallest case until then is written, and the exit code is the usual one."""
    (files / "bug.py").write_text(_PLUGIN.replace("self.pause", "0.2"))
    words = ["in.mlir", "--load-pass-plugin=bug.py", "-p", "builtin.module(bug)"]
    command = [Path(sys.executable).with_name("passel-reduce"), *words, "-o", "small.mlir"]
    with subprocess.Popen(command, cwd=files, stderr=subprocess.PIPE, text=True) as process:
        calls = files / "calls"
        while not calls.exists() or calls.stat().st_size < 5:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert "interrupted: this is the smallest case so far" in err
    assert "Traceback" not in err
    assert recorded_pipeline((files / "small.mlir").read_text()) == "builtin.module(bug)"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.mlir", "--cse"], "cannot open input file 'none.mlir'"),
        (["in.mlir", "--csee"], "unknown command line argument '--csee'; did you mean '--cse'?"),
        (["in.mlir", "-p", "func.func(cse)"], "can't run 'func.func' pass manager"),
        (["other.mlir", "--cse"], "another installed IR provides dialect 'nvgpu'; use --ir=mlir"),
        (["in.mlir", "--ir=mlir", "--cse", "--computes-else"], "use --interesting=<command>"),
        (["in.mlir", "--cse", "--timeout=soon"], "'--timeout' "),
        (["in.mlir", "--interesting="], "there is nothing to run"),
    ],
)
def test_what_is_wrong_is_one_error(
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    """What is wrong with the command line or the input is one line, and exit code 1."""
    monkeypatch.setenv("PATH", "")
    (files / "other.mlir").write_text("nvgpu.x")
    assert main(words) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("error:") == 1
    assert captured.out == ""
