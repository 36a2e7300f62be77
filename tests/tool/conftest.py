"""Running the tool in this process, or as users run it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

from passel.tool import main

if TYPE_CHECKING:
    from pathlib import Path

FUNCTION = """\
func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
"""


class Outcome(NamedTuple):
    """What a run of the tool left behind."""

    code: int
    out: str
    err: str


class Tool(Protocol):
    """Runs the tool with arguments, and perhaps bytes to read from its standard input."""

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Outcome:
        """Run the tool."""
        ...


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tool:
    """The tool in this process, in a directory of its own that holds `in.mlir`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.mlir").write_text(FUNCTION)

    def run(*arguments: str, stdin: bytes | None = None) -> Outcome:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


class Start(Protocol):
    """Starts the tool as a process of its own, in the test's directory."""

    def __call__(self, *arguments: str, piped: str = "") -> subprocess.Popen[str]:
        """Start it; `piped` is what follows the command in a shell, such as `| head -1`."""
        ...


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """The tool as users start it."""
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
