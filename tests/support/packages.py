"""Packages that tests install, as pip does, into folders of their own."""

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
) -> Path:
    """Write the sources of a package, and return their folder.

    Args:
        folder: Where the folder goes.
        name: The name of the distribution.
        modules: The modules' sources by name.
        entry_points: By `group:name`, what they are.
    """
    source = folder / name
    source.mkdir()
    for module, text in modules.items():
        (source / f"{module}.py").write_text(text, encoding="utf-8")
    lines = [
        "[build-system]",
        'requires = ["hatchling"]',
        'build-backend = "hatchling.build"',
        "[project]",
        f'name = "{name}"',
        'version = "1.0"',
    ]
    for place, value in entry_points.items():
        group, _, point = place.partition(":")
        lines += [f'[project.entry-points."{group}"]', f'{point} = "{value}"']
    files = ", ".join(f'"{module}.py"' for module in modules)
    lines += ["[tool.hatch.build.targets.wheel]", f"only-include = [{files}]"]
    (source / "pyproject.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return source


def run_with(
    folders: list[Path], *arguments: str, cwd: Path, stdin: bytes | None = None
) -> Outcome:
    """Run Python with arguments where the packages in some folders are installed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
