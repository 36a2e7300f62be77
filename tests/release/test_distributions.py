"""The wheel and the source distribution: what is in them, and what they say of themselves."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = "from hatchling.build import build_{0} as build; print(build({1!r}))"


def built(kind: str, folder: Path) -> Path:
    """Return the distribution of a kind, built in a process of its own as by an installer."""
    command = [sys.executable, "-c", BUILD.format(kind, str(folder))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel."""
    return zipfile.ZipFile(built("wheel", tmp_path_factory.mktemp("wheel")))


def test_the_wheel_has_the_package(wheel: zipfile.ZipFile) -> None:
    """Every file of the package, the marker of types, the licence; nothing else."""
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    package = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "passel").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == {*package, "_passel_programs.py", "_passel_pytest.py"}
    assert "passel/py.typed" in package
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_the_metadata_is_complete(wheel: zipfile.ZipFile) -> None:
    """Licence, Pythons, types, a description in Markdown, the commands; no person, no machine."""
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = message_from_string(wheel.read(name).decode())
    classifiers = metadata.get_all("Classifier") or []
    assert metadata["License-Expression"] == "Apache-2.0 WITH LLVM-exception"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "Typing :: Typed" in classifiers
    pythons = [
        each for each in classifiers if each.startswith("Programming Language :: Python :: 3.")
    ]
    assert [each.rpartition(" ")[2] for each in pythons] == ["3.11", "3.12", "3.13", "3.14"]
    assert metadata["Author"] is metadata["Author-email"] is None
    entry_points = wheel.read(name.replace("METADATA", "entry_points.txt")).decode()
    for each in ("bisect", "opt", "reduce", "report", "tblgen"):
        assert f"\npassel-{each} = " in entry_points


def test_the_source_distribution_has_all_that_the_project_has(tmp_path: Path) -> None:
    """What is under version control is in it, so that its tests run; nothing else is."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no checkout")
    wanted = {name for name in done.stdout.splitlines() if (ROOT / name).is_file()}
    with tarfile.open(built("sdist", tmp_path)) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers()}
    assert names - {"PKG-INFO"} == wanted
