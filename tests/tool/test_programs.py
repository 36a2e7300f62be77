"""The smaller programs: each has the help and errors of passel-opt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel.tool import bisect, reduce, report, tblgen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.tool.programs import Program

    Main = Callable[[Sequence[str]], int]

MODULES = (bisect, reduce, report, tblgen)
PROGRAMS = {each.PROGRAM.name: (each.PROGRAM, each.main) for each in MODULES}

pytestmark = pytest.mark.parametrize(("program", "main"), PROGRAMS.values(), ids=PROGRAMS)


def test_the_help_and_the_version(
    program: Program, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` says how the program is called, and lists its flags; `--version` names passel."""
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert f"\nUsage: {program.name} " in out
    shown = [flag for _, flags in program.groups for flag in flags if flag.help]
    assert len(shown) > 2
    for flag in shown:
        assert flag.help in out
    assert not out.endswith("\n\n")
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"{program.name} (passel ")


def test_a_flag_that_is_not_there(
    program: Program, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt flag is one error, with a suggestion and the way to the help."""
    assert main(["--versoin"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("error:")) == ("", 1)
    assert "unknown command line argument '--versoin'; did you mean '--version'?" in err
    assert f"Try '{program.name} --help'" in err
