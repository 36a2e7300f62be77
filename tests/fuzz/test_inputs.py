"""Inputs that are changed at random are taken well, and what takes them badly is found."""

from __future__ import annotations

import os
import runpy
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from random_inputs import passes, pipelines, tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

# Python 3.12 warns of forks beside threads, such as those of a runner of tests.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

GOOD = "func.func @f() { return }"


@pytest.fixture(scope="module")
def command() -> Callable[[Sequence[str]], int]:
    """The command that changes inputs for the time that it is given."""
    return runpy.run_path(str(Path(__file__).with_name("inputs.py")))["main"]


def test_pipelines() -> None:
    """Any pipeline is refused with a message, or prints as what it is."""
    assert [problem for seed in range(1500) if (problem := pipelines.problem(seed))] == []


@pytest.mark.parametrize("first", [0, 200, 400])
def test_acceptance(first: int) -> None:
    """Of pipelines that mean the same to both, mlir-opt and passel refuse the same."""
    seeds = range(first, first + 5)
    assert [problem for seed in seeds if (problem := pipelines.disagreement(seed))] == []


@pytest.mark.parametrize("kind", tools.MAKERS)
@pytest.mark.parametrize("seed", range(3))
def test_ir(kind: str, seed: int) -> None:
    """The tool ends with 0, 1 or 2, in time, and without a traceback."""
    assert tools.problem(kind, seed) == ""


@pytest.mark.parametrize("seed", range(4))
def test_passes(seed: int) -> None:
    """Hooks pair, and a run tells the truth about itself, observed or not."""
    assert passes.problem(seed) == ""


def test_the_command_stops_after_so_many(
    command: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ends with 0, and says how much it has tried."""
    assert command(["pipelines", "--seed", "3", "--cases", "20"]) == 0
    assert "20 of each kind are taken as they should be" in capsys.readouterr().out


def test_the_command_shows_what_goes_wrong(
    command: Callable[[Sequence[str]], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command ends with 1, and says how to get the case again."""

    def broken(text: str) -> None:
        raise IndexError(text)

    monkeypatch.setattr(pipelines, "parse_pipeline", broken)
    assert command(["pipelines", "--seed", "3"]) == 1
    shown = capsys.readouterr().out
    assert "pipelines --seed 3 --cases 1: " in shown
    assert "raises IndexError" in shown


def _raise(arguments: Sequence[str]) -> int:
    raise ValueError(arguments)


def _die(arguments: Sequence[str]) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def _end_oddly(arguments: Sequence[str]) -> int:
    return 3


def _good(random: Random) -> bytes:
    return GOOD.encode()


@pytest.mark.parametrize(
    ("main", "told"),
    [
        (_raise, "a traceback: passel-opt"),
        (_die, "it dies of SIGKILL: passel-opt"),
        (_end_oddly, "exit code 3: passel-opt"),
    ],
    ids=["traceback", "signal", "exit code"],
)
def test_bad_ends_are_found(
    monkeypatch: pytest.MonkeyPatch, main: Callable[[Sequence[str]], int], told: str
) -> None:
    """A traceback, another exit code, and a death that mlir-opt does not die are told."""
    monkeypatch.setattr(tools, "main", main)
    monkeypatch.setitem(tools.MAKERS, "ir", _good)
    problem = tools.problem("ir", 0)
    assert problem.startswith(told)
    assert GOOD in problem
