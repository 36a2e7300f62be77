"""Records of processes that died in a pass, or were killed, and what programs say of them."""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sweeps import STEP

from passel.record import Record
from passel.record.page.payload import payload
from passel.tool import bisect, main, report

PLUGIN = '''
import os, signal
from xdsl.dialects.builtin import UnitAttr
from passel import Pass

class Mark(Pass):
    """Mark a function."""
    name = "mark"

    def run(self, op, ctx):
        if op.sym_name.data == "f3":
            op.attributes["marked"] = UnitAttr()

class Die(Pass):
    """Die of marked functions."""
    name = "die"

    def run(self, op, ctx):
        if "marked" in op.attributes:
            os.kill(os.getpid(), signal.SIGSEGV)
'''
FLAGS = ["--load-pass-plugin=plugin.py", "-p=builtin.module(func.func(mark,die))"]
AGAIN = (
    "passel-opt --run-reproducer --load-pass-plugin=plugin.py "
    "--start-after=builtin.module/func.func/0:mark@f3 "
    "--stop-after=builtin.module/func.func/1:die@f3 r.passel"
)
BEFORE = "func.func @f3() attributes {marked} {\n  func.return\n}\n"


def test_of_a_worker_that_died_the_way_on_is_said(
    functions: str, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The record lacks the pass, and bisection reports the failure and what to do."""
    command = [programs / "passel-opt", functions, *FLAGS, "-j2"]
    subprocess.run([*command, "--record=r.passel"], capture_output=True, check=False)
    assert bisect.main(["r.passel"]) == 1
    assert capsys.readouterr().err == (
        "passel-bisect: error: the record does not contain the pass that failed on 'func.func' @f3: "
        "'func.func' op failed: the process that ran passes on it was killed by SIGSEGV; record the run with -j1, or use --interesting=<command>\n"
    )


def test_the_ir_of_a_record_may_not_be_installed(
    functions: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the IR of the record, and no flag that was not given."""
    assert main([functions, "--cse", "--record=r.passel", "-o", "/dev/null"]) == 0
    record = Path("r.passel")
    record.write_bytes(record.read_bytes().replace(b'"ir":"xdsl"', b'"ir":"stack"'))
    ir = "but no installed package has entry point 'stack' in the group passel.adapters"
    said = f"error: the record is for IR 'stack', {ir}\n"
    assert (bisect.main(["r.passel"]), capsys.readouterr().err) == (1, f"passel-bisect: {said}")
    assert (main(["r.passel"]), capsys.readouterr().err) == (1, f"passel-opt: {said}")


def die(programs: Path, *words: str) -> None:
    """Run passel-opt, which a signal ends."""
    command = [programs / "passel-opt", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode < 0, done.stderr


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The input, beside the plugin."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # plugins add their folders
    Path("plugin.py").write_text(PLUGIN)
    Path("in.mlir").write_text("".join(f"func.func @f{n}() {{ return }}\n" for n in range(6)))
    return "in.mlir"


def test_what_a_process_died_in_is_in_its_record(
    functions: str, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report shows the pass, the op, the IR before the pass, and a command that repeats the crash."""
    die(programs, functions, *FLAGS, "--record=r.passel")
    assert report.main(["r.passel"]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "the record ends before the end of the run",
        "still running when the record ended: builtin.module/func.func/1:die on func.func @f3",
        f"to run it again: {AGAIN}",
    ]
    assert report.main(["r.passel", "--step=die", "--op=@f3", "--diff"]) == 0
    shown = capsys.readouterr().out
    assert "1:die on func.func @f3 at in.mlir:4:1: did not end; the IR before the pass:\n" in shown
    assert shown.endswith(f"{BEFORE}// to run it again: {AGAIN}\n")
    page, _ = payload([("r", Record.open("r.passel"))])
    assert page["records"][0]["again"] == AGAIN
    assert "--record" not in page["records"][0]["command"]  # which would overwrite it
    die(programs, *shlex.split(AGAIN)[1:])
    # For bisection, a process that died is a run that failed.
    assert bisect.main(["r.passel"]) == 0
    found = capsys.readouterr()
    assert found.err.startswith("the process died in die on func.func @f3\n")
    assert found.out == "mark on func.func @f3  [builtin.module/func.func/0:mark]\n"


# -- Processes that were killed -------------------------------------------------------------------


_PROGRAM = """
import os, sys, time
from passel import Pass, PassManager
from passel.record import Recorder
from passel.testing import ToyAdapter, parse_toy

class Work(Pass):
    "Change the op."
    name = "work"

    def run(self, op, ctx):
        log.write(f"{ctx.path} {op.symbol}\\n")
        op.value += 1
        if op.symbol == "f199" and "/19:" in ctx.path:
            time.sleep(60)  # whatever the moment is, the process does not end before it

record, logged = sys.argv[1:]
log = open(logged, "w", buffering=1)
log.write(f"{os.getpid()}\\n")
manager = PassManager("toy.module", adapter=ToyAdapter())
manager.add_nested("toy.func", *(Work() for _ in range(20)))
manager.add_instrumentation(Recorder(record))
functions = ",".join(f"toy.func @f{n}" for n in range(200))
manager.run(parse_toy(f"toy.module({functions})"))
"""
_TAKES, _PATIENCE = 0.4, 60
"""Seconds for all passes on a quiet machine, and for the first one on any machine."""


@pytest.mark.parametrize(
    "moments", [1, pytest.param(50 // min(STEP, 5), marks=pytest.mark.sweep)], ids=["one", "many"]
)
def test_a_killed_process_leaves_every_pass_that_has_ended(
    tmp_path: Path, programs: Path, moments: int
) -> None:
    """Whenever a process is killed, its record opens and holds every pass that has ended."""
    pick = random.Random(moments)  # noqa: S311 - repeatable
    for moment in range(moments):
        path, logged = tmp_path / f"record{moment}", tmp_path / f"log{moment}"
        command = [programs / "run-python", _PROGRAM, path, logged]
        with subprocess.Popen(command) as process:
            end = time.monotonic() + _PATIENCE
            while not (path.exists() and b'{"total"' in path.read_bytes()):
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.001)
            time.sleep(pick.uniform(0, _TAKES))
            os.kill(int(logged.read_text().partition("\n")[0]), signal.SIGKILL)
        begun = [line.split() for line in logged.read_text().splitlines()[1:]]
        record = Record.open(path)
        recorded = [[each.path, each.symbol] for each in record.executions]
        assert recorded
        assert recorded in (begun, begun[:-1])
        assert all(record.text(each.after or "") for each in record.executions)
        assert not record.info.is_complete
