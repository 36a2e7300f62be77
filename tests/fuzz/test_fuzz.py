"""Random programs and inputs are taken well, and the command shows what is taken badly."""

from __future__ import annotations

import os
import runpy
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import random_inputs
from random_programs.checks import check, random_cases
from random_programs.execution import execute_all
from random_programs.generator import random_program

from passel.xdsl.passes import folding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Command = Callable[[Sequence[str]], int]

# Python 3.12 warns of forks beside threads, such as those of a runner of tests.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

PROGRAMS = 20


@pytest.fixture(scope="module")
def command() -> Command:
    """The command that searches for the time that it is given."""
    return runpy.run_path(str(Path(__file__).with_name("__main__.py")))["main"]


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(first, marks=pytest.mark.sweep) for first in range(4, PROGRAMS, 4))],
)
def test_programs_compute_the_same_after_passes(first: int) -> None:
    """Nothing crashes, nothing is invalid, no claim is untrue, and the output is the same."""
    cases = [case for seed in range(first, first + 4) for case in random_cases(seed)]
    assert [str(finding) for finding in check(cases)] == []


@pytest.mark.parametrize("count", [10, pytest.param(PROGRAMS, marks=pytest.mark.sweep)])
def test_programs_are_defined(count: int) -> None:
    """Programs print the same however far LLVM optimizes them, so they rely on nothing undefined."""
    programs = [random_program(seed) for seed in range(count)]
    printed = execute_all(programs)
    assert all(text and not text.startswith("failed:") for text in printed)
    assert execute_all(programs, level=3) == printed


def test_a_wrong_pass_is_shown(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ends with 1, and names the seed, the problem, the pipeline and the program."""

    def wrong(a: int, b: int, width: int) -> int:
        return 5

    monkeypatch.setitem(vars(folding)["_BINARY"], "arith.muli", wrong)
    # A program in which `sccp` folds a product.
    assert command(["programs", "--seed", "7", "--cases", "1"]) == 1
    shown = capsys.readouterr().out
    for text in ("--seed 7 --cases 1: computes: ", "// builtin.module(", "func.func @entry"):
        assert text in shown


@pytest.mark.parametrize("kind", random_inputs.MAKERS)
@pytest.mark.parametrize("seed", range(3))
def test_inputs(kind: str, seed: int) -> None:
    """The tool ends with 0, 1 or 2, in time, and without a traceback."""
    assert random_inputs.problem(kind, seed) == ""


def _raise(arguments: Sequence[str]) -> int:
    raise ValueError(arguments)


def _die(arguments: Sequence[str]) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def _end_oddly(arguments: Sequence[str]) -> int:
    return 3


@pytest.mark.parametrize(
    ("main", "told"),
    [
        (_raise, "a traceback: passel-opt"),
        (_die, "it dies of SIGKILL: passel-opt"),
        (_end_oddly, "exit code 3: passel-opt"),
    ],
    ids=["traceback", "signal", "exit code"],
)
def test_a_bad_end_is_shown(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    main: Command,
    told: str,
) -> None:
    """The command ends with 1, and tells of a traceback, another exit code, and a death."""
    monkeypatch.setattr(random_inputs, "main", main)
    assert command(["resources", "--seed", "3"]) == 1
    shown = capsys.readouterr().out
    assert f"resources --seed 3 --cases 1: {told}" in shown
    assert "{-#" in shown
