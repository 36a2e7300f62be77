"""Programs: the smaller ones have the help and errors of passel-opt; what starting one loads."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from passel.tool import bisect, reduce, report, tblgen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from passel.tool.programs import Program

    Main = Callable[[Sequence[str]], int]


MODULES = (bisect, reduce, report, tblgen)
PROGRAMS = {each.PROGRAM.name: (each.PROGRAM, each.main) for each in MODULES}

of_each = pytest.mark.parametrize(("program", "main"), PROGRAMS.values(), ids=PROGRAMS)


@of_each
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


@of_each
def test_a_flag_that_is_not_there(
    program: Program, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt flag is one error, with a suggestion and the way to the help."""
    assert main(["--versoin"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("error:")) == ("", 1)
    assert "unknown command line argument '--versoin'; did you mean '--version'?" in err
    assert f"Try '{program.name} --help'" in err


# -- The first moment of a program ------------------------------------------------------------


_INTERRUPTED = """
import sys

class Interrupts:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "passel.{module}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts)
import _passel_programs
sys.exit(_passel_programs.{program}())
"""


@pytest.mark.parametrize(
    ("program", "module"), [("passel_opt", "errors"), ("passel_reduce", "tool")]
)
def test_ctrl_c_while_a_program_loads(program: str, module: str) -> None:
    """Ctrl-C is one line and the usual exit code, however little of the program is there."""
    script = _INTERRUPTED.format(module=module, program=program)
    done = _run("-c", script)
    name = program.replace("_", "-")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{name}: interrupted\n")


_PLAIN = """
import sys
from passel.tool import main
assert main(sys.argv[1:]) == 0
print(*(name for name in sys.modules))
"""
_NOT_ASKED_FOR = frozenset(
    {
        "passel.analysis.dominator_tree",
        "passel.bridge.crossing",
        "passel.instruments.analysis_check",
        "passel.instruments.isolation_check",
        "passel.instruments.reproducer_file",
        "passel.instruments.reproducer",
        "passel.frontend.resources",
        "passel.tool.expectations",
        "passel.tracebacks",
        "passel.xdsl.analyses.dominance",
    }
)
"""Modules of features that a plain run does without."""


def test_a_plain_run_loads_what_it_needs(tmp_path: Path) -> None:
    """Passes on a small file run without the modules of features that are not asked for."""
    file = tmp_path / "in.mlir"
    file.write_text("func.func @f(%a : i32) -> i32 {\n  func.return %a : i32\n}\n")
    pipeline = "builtin.module(func.func(canonicalize))"
    done = _run("-c", _PLAIN, str(file), "-j1", "-o", str(tmp_path / "out"), "-p", pipeline)
    loaded = set(done.stdout.split())
    assert "passel.xdsl.passes.canonicalize" in loaded, done.stderr
    assert loaded & _NOT_ASKED_FOR == set()


_COLLECTOR = """
import gc
from passel import Pass

class Tell(Pass):
    name = "tell"

    def run(self, op, ctx):
        print(gc.isenabled(), gc.get_freeze_count() > len(gc.get_objects()))
"""
_WITH_COLLECTOR = "import gc; from passel.tool import main; {}; print(gc.isenabled())"


@pytest.mark.parametrize(
    ("before", "call", "expected"),
    [
        ("pass", "main()", ["True True", "True"]),
        ("gc.disable()", "main()", ["False False", "False"]),
        ("pass", "import sys; main(sys.argv[1:])", ["True False", "True"]),
    ],
)
def test_collector(
    tmp_path: Path, programs: Path, before: str, call: str, expected: list[str]
) -> None:
    """Passes run with the collector as it was; in a process of the tool it skips the input."""
    (tmp_path / "in.mlir").write_text("builtin.module {}\n")
    (tmp_path / "plugin.py").write_text(_COLLECTOR)
    script = _WITH_COLLECTOR.format(f"{before}; {call}")
    flags = ["--load-pass-plugin", str(tmp_path / "plugin.py"), "-o", str(tmp_path / "out")]
    command = [programs / "run-python", script, tmp_path / "in.mlir", "--tell", *flags]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.stdout.splitlines() == expected, done.stderr


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], check=False, capture_output=True, text=True)
