"""Inputs that are changed at random are taken well, and what takes them badly is found."""

from __future__ import annotations

import os
import runpy
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from random_inputs import tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Python 3.12 warns of forks beside threads, such as those of a runner of tests.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


@pytest.fixture(scope="module")
def command() -> Callable[[Sequence[str]], int]:
    """The command that changes inputs for the time that it is given."""
    return runpy.run_path(str(Path(__file__).with_name("inputs.py")))["main"]


@pytest.mark.parametrize("kind", tools.MAKERS)
@pytest.mark.parametrize("seed", range(3))
def test_ir(kind: str, seed: int) -> None:
    """The tool ends with 0, 1 or 2, in time, and without a traceback."""
    assert tools.problem(kind, seed) == ""


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
def test_the_command_shows_what_goes_wrong(
    command: Callable[[Sequence[str]], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    main: Callable[[Sequence[str]], int],
    told: str,
) -> None:
    """The command ends with 1, and tells of a traceback, another exit code, and a death."""
    monkeypatch.setattr(tools, "main", main)
    assert command(["resources", "--seed", "3"]) == 1
    shown = capsys.readouterr().out
    assert f"resources --seed 3 --cases 1: {told}" in shown
    assert "{-#" in shown
