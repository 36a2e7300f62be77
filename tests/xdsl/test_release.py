"""Which releases of xDSL passel works on, and what is said of others."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from passel.xdsl import release

ROOT = Path(__file__).parents[2]


def with_xdsl(version: str, directory: Path, *command: str) -> str:
    """Run a command where xDSL says that it is of another version; return both its streams."""
    info = directory / f"xdsl-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: xdsl\nVersion: {version}\n")
    done = subprocess.run(
        (sys.executable, *command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(directory)},
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("version", ["0.58.0", "0.75.0", "1.0"])
@pytest.mark.parametrize("words", [["--version"], ["--cse", "x.mlir"], ["--compat=xdsl", "x.mlir"]])
def test_other_releases_are_refused_in_a_line(
    version: str, words: list[str], tmp_path: Path
) -> None:
    """Whatever the command, the tool says which xDSL it found and which ones it works on."""
    expected = (
        f"passel-opt: error: passel works on xDSL 0.59 to 0.74; installed is xDSL {version}\n"
    )
    assert with_xdsl(version, tmp_path, "-m", "passel", *words) == expected


def test_a_working_copy_is_taken_for_the_newest(tmp_path: Path) -> None:
    """A version without numbers, as of a checkout, is no reason to refuse it."""
    found = with_xdsl("0+unknown", tmp_path, "-m", "passel", "--version")
    assert found.endswith("(xDSL 0+unknown)\n")


def test_the_dependency_is_the_range() -> None:
    """What passel says of xDSL's releases is what pip is told."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (_, oldest), (_, newest) = release.OLDEST, release.NEWEST
    assert f"xdsl>=0.{oldest},<0.{newest + 1}" in project["dependencies"]


PROGRAM = """
import sys
if sys.argv[1] == "imported":
    import xdsl.ir
from passel import AdapterError, PassManager
from passel.testing import ToyAdapter
try:
    if sys.argv[2] == "parse":
        PassManager.parse("builtin.module(canonicalize)")
    elif sys.argv[2] == "add":
        PassManager("builtin.module").add("canonicalize")
    else:
        PassManager.parse("toy.module(canonicalize)", adapter=ToyAdapter())
except Exception as error:
    print(type(error).__name__, str(error).partition(chr(10))[0])
"""


@pytest.mark.parametrize("call", ["parse", "add"])
@pytest.mark.parametrize("imported", ["imported", "not"])
def test_pipelines_of_python_say_so_as_well(imported: str, call: str, tmp_path: Path) -> None:
    """Names that xDSL may have are not called unknown where its passes could not be loaded."""
    expected = "ReleaseError passel works on xDSL 0.59 to 0.74; installed is xDSL 0.80.0\n"
    assert with_xdsl("0.80.0", tmp_path, "-c", PROGRAM, imported, call) == expected


def test_other_irs_do_not_mind(tmp_path: Path) -> None:
    """Where another IR is meant, a name that is unknown there is unknown."""
    found = with_xdsl("0.80.0", tmp_path, "-c", PROGRAM, "not", "toy")
    assert "UnknownPassError" in found
