"""The smaller programs: each has the help, manual page, completion and errors of passel-opt."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from passel.tool import bisect, cache, reduce, report, tblgen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.tool.help import Program

    Main = Callable[[Sequence[str]], int]

MODULES = (bisect, cache, reduce, report, tblgen)
PROGRAMS = {each.PROGRAM.name: (each.PROGRAM, each.main) for each in MODULES}

pytestmark = pytest.mark.parametrize(("program", "main"), PROGRAMS.values(), ids=PROGRAMS)


def test_the_help_has_all_flags(
    program: Program, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` says how the program is called, and lists its flags."""
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert f"Usage: {program.name} {program.inputs} [flags]\n" in out
    shown = [flag for _, flags in program.shown for flag in flags]
    assert len(shown) > 5
    for flag in shown:
        assert flag.help in out
    assert not out.endswith("\n\n")


def test_the_manual_page_is_well_formed(
    program: Program, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    """Groff reads the manual page without a warning, and it has the notes of the help."""
    assert main(["--print-manual"]) == 0
    page = capsys.readouterr().out
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    command = ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"]
    done = subprocess.run(command, input=page, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert program.notes.split("\n", 1)[0] in done.stdout.replace("\N{MINUS SIGN}", "-")


def test_flags_are_completed(
    program: Program, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell is offered the program's own flags, and gets a script that asks for them."""
    own = next(flag for flag in program.groups[0][1] if len(flag.name) > 1)
    assert main([f"--complete={program.name} --{own.name[:-1]}"]) == 0
    assert f"--{own.name}" in capsys.readouterr().out
    assert main(["--print-completion=bash"]) == 0
    assert f"-F _{program.name.replace('-', '_')} {program.name}" in capsys.readouterr().out


def test_a_flag_that_is_not_there(
    program: Program, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt flag is one error, with a suggestion and the way to the help."""
    assert main(["--versoin"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("error:")) == ("", 1)
    assert "unknown command line argument '--versoin'; did you mean '--version'?" in err
    assert f"Try '{program.name} --help'" in err


def test_the_version(program: Program, main: Main, capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` names the program and passel."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"{program.name} (passel ")
