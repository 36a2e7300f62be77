"""Which releases of xDSL passel works on, and what is said of others."""

from __future__ import annotations

import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packages import run_with, write_package

from passel.xdsl import release

ROOT = Path(__file__).parents[2]


def with_xdsl(version: str, directory: Path, *command: str) -> str:
    """Run Python where xDSL says that it is of another version; return both its streams."""
    points = {f"{each.group}:{each.name}": each.value for each in distribution("xdsl").entry_points}
    write_package(directory, "xdsl", {}, points, version)
    outcome = run_with([directory], *command, cwd=directory)
    return outcome.out + outcome.err


@pytest.mark.parametrize(
    ("version", "flag", "warnings"),
    [
        ("0.58.0", "--cse", 1),
        ("0.59.0", "--cse", 0),
        ("0.76.0", "--compat=xdsl", 1),
        ("0+unknown", "--cse", 1),
    ],
)
def test_untested_releases(version: str, flag: str, warnings: int, tmp_path: Path) -> None:
    """Before the oldest and after the newest tested release, the tool warns once, and works."""
    file = tmp_path / "f.mlir"
    file.write_text("func.func @f() {\n  func.return\n}\n", encoding="utf-8")
    found = with_xdsl(version, tmp_path, "-m", "passel", str(file), flag)
    warning = f"passel-opt: warning: passel is tested on xDSL 0.59 to 0.75; with the installed xDSL {version}, fast paths are disabled\n"
    assert found.count(warning) == warnings
    assert found.count("warning") == warnings
    assert "func.return" in found
    assert "rror" not in found


def test_the_releases_that_are_named() -> None:
    """The oldest is that of the requirement; fast paths are on for releases that the tests run on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"xdsl>=0.{release.OLDEST[1]}" in project["dependencies"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert {f"xdsl=={each}" for each in release.FAST} & set(constraints.splitlines())
    tested = makefile.partition("XDSL_RELEASES := ")[2].partition("\n")[0].split()
    newest = constraints.partition("xdsl==")[2].partition("\n")[0]
    assert set(tested) | {newest} >= release.FAST
