"""Reproducers of the tool: when they are written, what is in them, and that they replay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from tool_fixtures import Outcome, recorded_pipeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import Tool

PLUGIN = '''\
import os, signal, sys
from xdsl.dialects.func import FuncOp
from passel import OpPassManager, Pass, PassFailure


class Act(Pass):
    """Do what one should not."""

    name = "act"
    how: str = "fail"

    def initialize(self, context):
        if self.how == "initialize":
            raise ValueError("no table")

    def run(self, op, ctx):
        match self.how:
            case "fail":
                raise PassFailure("not this one")
            case "interrupt":
                raise KeyboardInterrupt
            case "exit":
                sys.exit(0)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)


class RunAct(Pass):
    """Run `act` on the functions inside."""

    name = "run-act"
    lenient: bool = False

    def run(self, op, ctx):
        for inner in list(op.walk()):
            if isinstance(inner, FuncOp):
                ran = ctx.run_pipeline(OpPassManager("func.func").add(Act()), inner)
                if not ran and not self.lenient:
                    raise PassFailure("it failed inside")
'''

FUNCTIONS = "func.func @a() { return }\nfunc.func @b() { return }\n"

PLUGIN_FLAG = "--load-pass-plugin=plugin.py"
REPRODUCER = "--mlir-pass-pipeline-crash-reproducer=r.mlir"

Run: TypeAlias = "Callable[..., Outcome]"


@pytest.fixture
def directory(tmp_path: Path, tool: Tool) -> Path:
    """The tool's directory, with a plugin and an input."""
    Path("plugin.py").write_text(PLUGIN)
    Path("in.mlir").write_text(FUNCTIONS)
    return tmp_path


@pytest.fixture
def opt(tool: Tool, directory: Path) -> Run:
    """The tool with the plugin."""
    return lambda *words: tool(PLUGIN_FLAG, *words)


@pytest.fixture
def write(opt: Run) -> Run:
    """The tool that runs a pipeline on the input such that it leaves `r.mlir` behind."""
    return lambda *words: opt("in.mlir", REPRODUCER, "-p", *words)


def process(*words: str) -> Outcome:
    """Run the tool in a process of its own, which may die."""
    command = [sys.executable, "-m", "passel", PLUGIN_FLAG, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return Outcome(done.returncode, done.stdout, done.stderr)


def messages(result: Outcome) -> list[str]:
    """Return the messages of failures, without places and without what is about the file."""
    found: list[str] = []
    for line in result.err.splitlines():
        if "was interrupted by" in line:
            found.append(line.partition("op pass")[2].partition(" [")[0])
        elif ": error: " in line and "Failures have been" not in line:
            found.append(line.partition(": error: ")[2])
    return found


# -- Every failure replays ---------------------------------------------------------------------


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("fail", 1),
        ("initialize", 1),
        ("interrupt", 130),
        ("exit", 1),
    ],
)
def test_a_failure_replays_as_the_same_failure(
    opt: Run, write: Run, directory: Path, how: str, code: int, local: bool
) -> None:
    """Kind, pass and message are the same when the file is run, and so is the exit code."""
    words = ["--mlir-pass-pipeline-local-reproducer"] * local
    first = write(f"builtin.module(cse,func.func(act{{how={how}}}))", *words)
    again = opt("--run-reproducer", "r.mlir")
    assert (first.code, again.code) == (code, code)
    assert messages(first) == messages(again) != []
    assert not Path("r.mlir.running").exists()


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize("how", ["kill", "segfault"])
def test_a_process_that_dies_leaves_the_file_that_was_written_ahead(
    directory: Path, how: str, local: bool
) -> None:
    """An older file stays, and what is left beside it makes the process die again."""
    Path("r.mlir").write_text("older")
    words = ["--mlir-pass-pipeline-local-reproducer"] * local
    first = process(
        "in.mlir", "-p", f"builtin.module(func.func(act{{how={how}}}))", REPRODUCER, *words
    )
    again = process("--run-reproducer", "r.mlir.running")
    assert first.code == again.code < 0
    assert Path("r.mlir").read_text() == "older"


# -- When and where ------------------------------------------------------------------------------


def test_what_a_dead_process_left_is_kept(write: Run, directory: Path) -> None:
    """The next run writes ahead to another file."""
    Path("r.mlir.running").write_text("left")
    assert write("builtin.module(act)").code == 1
    assert Path("r.mlir.running").read_text() == "left"
    assert sorted(p.name for p in directory.glob("r.mlir*")) == ["r.mlir", "r.mlir.running"]


# -- What is recorded ----------------------------------------------------------------------------


def test_a_pipeline_inside_of_a_pass_is_recorded_as_the_pass_or_as_the_one_that_failed(
    write: Run,
    directory: Path,
) -> None:
    """Global records the outer pass, local the inner one; the note names both, or the inner."""
    result = write("builtin.module(cse,run-act)")
    assert (
        "[`RunAct` on 'builtin.module' operation, `Act` on 'func.func' operation: @a]" in result.err
    )
    text = Path("r.mlir").read_text()
    assert recorded_pipeline(text) == "builtin.module(cse, run-act{lenient=false})"
    result = write("builtin.module(cse,run-act)", "--mlir-pass-pipeline-local-reproducer")
    assert "while executing `Act` on 'func.func' operation: @a: reproducer" in result.err
    text = Path("r.mlir").read_text()
    assert recorded_pipeline(text) == "builtin.module(func.func(act{how=fail}))"


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
def test_a_failure_that_a_pass_handles_is_none(write: Run, directory: Path, local: bool) -> None:
    """The run succeeds, so nothing is left; if it fails later, that is what is recorded."""
    words = ["--mlir-pass-pipeline-local-reproducer"] * local
    assert write("builtin.module(run-act{lenient=true})", *words).code == 0
    assert not list(directory.glob("r.mlir*"))
    result = write("builtin.module(run-act{lenient=true},act{how=fail})", *words)
    assert "`RunAct`" not in result.err
    assert "act{how=fail}" in recorded_pipeline(Path("r.mlir").read_text())
