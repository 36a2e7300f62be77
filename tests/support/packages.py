"""Packages that tests install into folders of their own: by pip, or written as pip would."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tool_fixtures import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")


def install(source: Path, target: Path) -> None:
    """Install a package into a folder, without what it depends on."""
    options = ["--no-deps", "--no-build-isolation", "--target", target]
    done = subprocess.run(
        [*_PIP, *options, source], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def write_package(
    folder: Path, name: str, modules: Mapping[str, str], entry_points: Mapping[str, str]
) -> None:
    """Write an installed package into a folder.

    Args:
        folder: The folder, for `PYTHONPATH`.
        name: The name of the distribution.
        modules: The modules' sources by name.
        entry_points: The objects of entry points by `group:name`.
    """
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
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
