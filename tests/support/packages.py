"""Packages that tests install into folders of their own, or write as an installer would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import unpack_archive
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hatchling.build import build_wheel
from tool_fixtures import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping


def install(source: Path, target: Path) -> None:
    """Install a package into a folder as pip does, without its scripts and dependencies."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.chdir(source)
        wheel = build_wheel(folder)
        unpack_archive(Path(folder, wheel), target, "zip")


def write_package(
    folder: Path,
    name: str,
    modules: Mapping[str, str],
    entry_points: Mapping[str, str],
    version: str = "1.0",
) -> None:
    """Write an installed package into a folder.

    Args:
        folder: The folder, for `PYTHONPATH`.
        name: The name of the distribution.
        modules: The modules' sources by name.
        entry_points: The objects of entry points by `group:name`.
        version: The version of the distribution.
    """
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines: list[str] = []
    for place, value in entry_points.items():
        group, _, point = place.partition(":")
        lines += [f"[{group}]", f"{point} = {value}"]
    (info / "entry_points.txt").write_text("\n".join(lines))


def run_with(
    folders: list[Path],
    *arguments: str,
    cwd: Path,
    stdin: bytes | None = None,
    program: str | Path = sys.executable,
) -> Outcome:
    """Run a program, by default Python, where the packages in some folders are installed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    done = subprocess.run(
        [program, *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
