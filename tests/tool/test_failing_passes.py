"""Kinds of failing passes and flags: with workers, the tool says what it says without, and ends alike.

A death ends a worker alone, and is named.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from faulty_passes import DEADLY
from faulty_tool import KINDS

_SUPPORT = Path(__file__).parent.parent / "support"

_SOURCE = "\n".join(f"func.func @f{number}() {{ func.return }}" for number in range(40))

_FLAGS = ((), ("--mlir-pass-statistics",))

_DEADLY = [each for each in DEADLY if each != "terminate"]  # the tool handles that signal

_SAME = [each for each in KINDS if each not in _DEADLY]

_FAST = {"give up", "child that raises"}


class Ended(NamedTuple):
    """How the tool has ended.

    Attributes:
        code: Its exit code.
        out: The standard output.
        err: The standard error, but for how to replay.
    """

    code: int
    out: str
    err: str


def run(how: str, *flags: str) -> Ended:
    """Run the tool on 40 functions, on one of which the pass is faulty."""
    command = [
        str(Path(sys.executable).with_name("passel-opt")),
        f"--load-pass-plugin={_SUPPORT / 'faulty_tool.py'}",
        f"--pass-pipeline=builtin.module(func.func(faulty-anywhere{{how='{how}'}}))",
        *flags,
    ]
    found = subprocess.run(
        command,
        input=_SOURCE,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(_SUPPORT)},
    )
    return Ended(found.returncode, found.stdout, re.sub("to replay: .*", "", found.stderr))


def sweeping(kinds: list[str]) -> list[object]:
    """Return kinds as parameters, most of them for a sweep."""
    slow = pytest.mark.sweep
    return [each if each in _FAST else pytest.param(each, marks=slow) for each in kinds]


@pytest.mark.parametrize("how", sweeping(_SAME))
def test_workers_make_no_difference(how: str) -> None:
    """Exit code, standard output and diagnostics are those of one process, under all flags."""
    for flags in _FLAGS:
        assert run(how, "-j", "2", *flags) == run(how, "-j", "1", *flags), flags


@pytest.mark.parametrize("how", sweeping(_DEADLY))
def test_a_death_names_itself(how: str) -> None:
    """A pass that ends its process ends a worker: the op is named, and the exit code is 1."""
    for flags in _FLAGS:
        found = run(how, "-j", "2", *flags)
        assert (found.code, found.out) == (1, ""), flags
        assert f"the process that ran passes on it {DEADLY[how][1]}" in found.err
