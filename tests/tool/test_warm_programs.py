"""Programs for tests, which are forked from one that has loaded what they need: as real ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from warm_programs import warm_programs

if TYPE_CHECKING:
    from collections.abc import Generator

_SHOWS = """
import os
import sys

def show():
    print(sys.argv[1:], os.getcwd(), os.environ["WORD"], sys.stdin.read(), "café")
    print("error", file=sys.stderr)
    return 7

def die():
    os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def shown() -> Generator[Path]:
    """Return the folder of two programs, whose module is on the callers' search paths."""
    programs = {"show": "shows:show,--first", "die": "shows:die"}
    with warm_programs(programs) as folder:
        yield folder


def start(folder: Path, directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a directory that has the module."""
    (directory / "shows.py").write_text(_SHOWS, encoding="utf-8")
    return subprocess.run(
        [folder / words[0], *words[1:]],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(directory), "WORD": "word"},
        input="text",
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_the_callers(shown: Path, tmp_path: Path) -> None:
    """Its arguments, directory, environment and streams; the exit code is the program's."""
    done = start(shown, tmp_path, "show", "two words", "")
    said = f"['--first', 'two words', ''] {tmp_path} word text café\n"
    assert (done.returncode, done.stdout, done.stderr) == (7, said, "error\n")


def test_programs_know_nothing_of_each_other(shown: Path, tmp_path: Path) -> None:
    """Each module is loaded from the search path of the caller."""
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        assert str(folder) in start(shown, folder, "show").stdout


def test_a_program_that_is_killed(shown: Path, tmp_path: Path) -> None:
    """Its caller ends by the same signal."""
    assert start(shown, tmp_path, "die").returncode == -signal.SIGKILL


def test_the_tool(programs: Path, tmp_path: Path) -> None:
    """passel-opt prints what it prints when users start it."""
    words = ["passel-opt", "-p", "no-such-pass"]
    warm = start(programs, tmp_path, *words)
    real = start(Path(sys.executable).parent, tmp_path, *words)
    assert (warm.returncode, warm.stdout, warm.stderr) == (
        real.returncode,
        real.stdout,
        real.stderr,
    )
    assert "no-such-pass" in warm.stderr
