"""A package whose passes are declared in TableGen, as its author and its users see it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from td_files import ROOT

if TYPE_CHECKING:
    from tool_fixtures import TblgenTool

PAGE = ROOT / "docs" / "tablegen.md"


def shown(title: str) -> str:
    """Return a file that the tutorial shows."""
    found = re.search(
        rf'^```\w+ title="{title}"\n(.*?)^```$', PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found
    return found[1]


@pytest.fixture
def package(tmp_path: Path, tblgen: TblgenTool) -> Path:
    """Return a directory that has the tutorial's package as it is when it is installed."""
    for title in ("Passes.td", "demo_passes.py"):
        (tmp_path / title).write_text(shown(title))
    outcome = tblgen(
        "-gen-pass-decls", "--passes=count-ops", "-name=Demo",
        "-module=demo_passes", str(tmp_path / "Passes.td"), "-o", str(tmp_path / "declarations.py"),
    )  # fmt: skip
    assert outcome.err == ""
    info = tmp_path / "demo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[passel.passes]\ndemo = declarations:register_demo_passes\n"
    )
    return tmp_path


def run(package: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command where the package is installed."""
    tools = Path(sys.executable).parent
    path = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=package, env=environment
    )


def test_passes_of_an_installed_package(package: Path) -> None:
    """Entry points make the passes known, and nothing of them is imported before they are used."""
    script = (
        "import sys; from passel import PassManager, default_registry; "
        "PassManager.parse('builtin.module(cse)'); "
        "print('declarations' in sys.modules, 'demo_passes' in sys.modules); "
        "print(default_registry().lookup_pass('count-ops').pass_class.summary())"
    )
    shown = run(package, sys.executable, "-c", script).stdout
    assert shown == "True False\nCount the ops of a function.\n"
