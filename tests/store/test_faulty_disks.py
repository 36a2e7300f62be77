"""Disks that are full, or cannot be written: real ones, in memory, which only the tool's process sees."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sliced_inputs import long_functions

if TYPE_CHECKING:
    from tool_fixtures import Tool

CLEAN = "-p=builtin.module(func.func(cse,canonicalize))"
FILL = "dd if=/dev/zero of=disk/filler 2>/dev/null"

SCRIPT = """
mount -t tmpfs -o size=32k none disk || exit 77
{before}
"$@"
code=$?
find disk -type f -name '*.*.*' >&2  # what was written beside its place
exit $code
"""

UNSHARE = shutil.which("unshare")
"""Runs a program with mounts of its own."""

IN_SWEEP = pytest.mark.sweep


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """The folder where the disk is."""
    if UNSHARE is None or subprocess.run([UNSHARE, "-rm", "true"], check=False).returncode:
        if os.environ.get("CI"):
            pytest.fail("disks cannot be mounted here")
        pytest.skip("disks cannot be mounted here")
    folder = tmp_path / "disk"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("is_url", "before", "said"),
    [
        pytest.param(False, FILL, "database or disk is full", id="full", marks=IN_SWEEP),
        pytest.param(False, "", "(database or disk is full|disk I/O error)", id="fills"),
        pytest.param(False, "mount -o remount,ro disk", "Read-only file system", id="read-only"),
        pytest.param(True, FILL, "No space left on device", id="full, at a URL"),
        pytest.param(True, "", "No space left on device", id="fills, at a URL", marks=IN_SWEEP),
        pytest.param(
            True,
            "mount -o remount,ro disk",
            "Read-only file system",
            id="read-only, at a URL",
            marks=IN_SWEEP,
        ),
    ],
)
def test_such_a_disk_is_a_miss(
    tool: Tool, disk: Path, is_url: bool, before: str, said: str
) -> None:
    """One line says so, the result is right, and nothing is left half written."""
    Path("in.mlir").write_text(long_functions())
    plain = tool("in.mlir", CLEAN)
    place = f"file://{disk}/kept" if is_url else f"{disk}/kept"
    command = [sys.executable, "-m", "passel", "in.mlir", CLEAN, f"--cache={place}"]
    script = SCRIPT.format(before=before)
    done = subprocess.run(
        [str(UNSHARE), "-rm", "/bin/sh", "-c", script, "sh", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, plain.out)
    line = f"passel-opt: warning: no results are kept: '{place}': "
    assert re.fullmatch(f"{re.escape(line)}{said}\n", done.stderr)
