"""Random programs compute the same before and after passes, and a pass that is wrong is found."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from random_programs.checks import check, random_cases
from random_programs.execution import execute_all
from random_programs.generator import random_program

from passel.xdsl.passes import folding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROGRAMS = 20


@pytest.fixture(scope="module")
def command() -> Callable[[Sequence[str]], int]:
    """The command that runs programs for the time that it is given."""
    return runpy.run_path(str(Path(__file__).with_name("programs.py")))["main"]


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


@pytest.fixture
def wrong_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """`sccp` takes every product for 5."""

    def wrong(a: int, b: int, width: int) -> int:
        return 5

    monkeypatch.setitem(vars(folding)["_BINARY"], "arith.muli", wrong)


def test_the_command_shows_what_goes_wrong(
    wrong_folds: None,
    command: Callable[[Sequence[str]], int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command ends with 1, and names the seed, the problem, the pipeline and the program."""
    # A program in which `sccp` folds a product.
    assert command(["--seed", "7", "--programs", "1"]) == 1
    shown = capsys.readouterr().out
    for text in ("seed ", "computes: ", "// builtin.module(", "func.func @entry"):
        assert text in shown
