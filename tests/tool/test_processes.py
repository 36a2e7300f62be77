"""Processes that are interrupted, or whose output goes nowhere."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tool_fixtures import Start


_SLEEPER = """\
import time
from passel import Pass

class Sleep(Pass):
    name = "sleep-long"

    def run(self, op, ctx):
        print("asleep", flush=True)
        time.sleep(60)
"""


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_ctrl_c_during_a_pass(start: Start, tmp_path: Path, ir: str) -> None:
    """Ctrl-C names the pass that was running, and leaves no output file."""
    (tmp_path / "plugin.py").write_text(_SLEEPER)
    process = start(
        *(f"--ir={ir}", "in.mlir", "--load-pass-plugin=plugin.py"),
        *("--sleep-long", "-o", "out.mlir"),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "asleep\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("passel-opt: interrupted: in.mlir:0:0: 'builtin.module' op pass")
    assert "'sleep-long' was interrupted" in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == [
        "in.mlir",
        "plugin.py",
    ]


def test_reader_that_has_had_enough(start: Start, tmp_path: Path) -> None:
    """A closed pipe ends the tool without a word."""
    functions = "".join(f"func.func private @f{index}()\n" for index in range(4_000))
    (tmp_path / "in.mlir").write_text(functions)
    out, err = start("in.mlir", piped="| head -1").communicate(timeout=60)
    assert (out, err) == ("builtin.module {\n", "")


@pytest.mark.parametrize(
    ("arguments", "closed", "error"),
    [
        (
            [],
            "<&-",
            "passel-opt: error: there is no input: no file is given and the standard input is closed\n",
        ),
        (
            ["in.mlir"],
            ">&-",
            "passel-opt: error: cannot write the output: the standard output is closed\n",
        ),
        (
            ["--help"],
            ">&-",
            "passel-opt: error: cannot write the output: the standard output is closed\n",
        ),
        (["absent.mlir"], "2>&-", ""),
    ],
    ids=["input", "output", "help", "errors"],
)
def test_closed_streams(start: Start, arguments: list[str], closed: str, error: str) -> None:
    """A standard stream that is closed is named, and no other is used in its place."""
    process = start(*arguments, piped=closed)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (1, "", error)
