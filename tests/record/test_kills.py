"""Records of processes that were killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from sweeps import STEP

from passel.record import Record

if TYPE_CHECKING:
    from pathlib import Path

_PROGRAM = """
import sys, time
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
def test_a_killed_process_leaves_every_pass_that_has_ended(tmp_path: Path, moments: int) -> None:
    """Whenever a process is killed, its record opens and holds every pass that has ended."""
    pick = random.Random(moments)  # noqa: S311 - repeatable
    for moment in range(moments):
        path, logged = tmp_path / f"record{moment}", tmp_path / f"log{moment}"
        command = [sys.executable, "-c", _PROGRAM, os.fspath(path), os.fspath(logged)]
        with subprocess.Popen(command) as process:
            end = time.monotonic() + _PATIENCE
            while not (path.exists() and b'{"total"' in path.read_bytes()):
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.001)
            time.sleep(pick.uniform(0, _TAKES))
            process.kill()
        begun = [line.split() for line in logged.read_text().splitlines()]
        record = Record.open(path)
        recorded = [[each.path, each.symbol] for each in record.executions]
        assert recorded
        assert recorded in (begun, begun[:-1])
        assert all(record.text(each.after or "") for each in record.executions)
        assert not record.info.is_complete
