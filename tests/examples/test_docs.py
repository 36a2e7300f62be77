"""What README and documentation show is what happens.

A page's code runs in a directory of its own that has the project's `examples`:

* a block with `title="name"` is a file, written there first, or equal to the one that is there;
* other `python` blocks run as one program, and print the `text` block that follows them;
* in `console` blocks, commands print what is shown, but for those in `NOT_RUN`; in it, a line
  `...` stands for any lines.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from documents import ROOT, Block, blocks_of, commands_of, shows

NOT_RUN = (
    "pip install ",  # tests/examples/test_pages.py
    "python3 -m venv",
    "make ",  # minutes
    ".venv/bin/python benchmarks",  # minutes
    "calc-opt ",  # tests/examples/test_compiler_package.py, which installs it
    "lit ",
)
"""Commands that are run elsewhere, or by people."""

CLIENTS = ROOT / "docs" / "clients.md"
"""Its commands need packages of others: `tests/clients` runs them."""

PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {CLIENTS})]
_END_OF_BLOCK = "-- end of block --"


def run(directory: Path, *command: str, programs: Path | None = None) -> str:
    """Run a command and return both its streams."""
    folders = [programs, Path(sys.executable).parent] if programs else [Path(sys.executable).parent]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    return subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=directory,
        # The plugin, also where this package was installed before it had one.
        env={
            **os.environ,
            "PATH": path,
            "PYTHONPATH": str(directory),
            "PYTHONUNBUFFERED": "1",
            "PYTEST_PLUGINS": "_passel_pytest",
        },
        check=False,
        timeout=600,
    ).stdout


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a directory with the project's examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def write_files(blocks: list[Block], directory: Path) -> None:
    """Write the titled blocks to files, or compare them with files that exist."""
    for block in blocks:
        if block.title is None:
            continue
        path = directory / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            assert path.read_text(encoding="utf-8") == block.text, f"{block.title} differs"
        else:
            path.write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run_and_print_what_is_shown(
    page: Path, directory: Path, programs: Path
) -> None:
    """The page's `python` blocks are one program, whose output is in the `text` blocks."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    write_files(blocks, directory)
    codes = [i for i, block in enumerate(blocks) if block.language == "python" and not block.title]
    if not codes:
        return
    program = [f"{blocks[i].text}\nprint({_END_OF_BLOCK!r})\n" for i in codes]
    output = run(directory, "run-python", "\n".join(program), programs=programs)
    parts = output.split(f"{_END_OF_BLOCK}\n")
    assert len(parts) == len(codes) + 1, output
    for i, printed in zip(codes, parts, strict=False):
        following = blocks[i + 1] if i + 1 < len(blocks) else None
        is_shown = following and following.language == "text" and following.follows
        shown = following.text if following and is_shown else ""
        assert shows(shown, printed), f"{blocks[i].text}\nprints:\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_is_shown(page: Path, directory: Path, programs: Path) -> None:
    """Every command on the page prints the lines below it."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    write_files(blocks, directory)
    for block in blocks:
        for command, shown in commands_of(block) if block.language == "console" else []:
            if command.startswith(NOT_RUN):
                continue
            # Warm programs have read the environment already.
            tools = None if command.startswith("PASSEL_") else programs
            actual = run(directory, "sh", "-c", command, programs=tools)
            assert shows(shown, actual), f"$ {command}\n{actual}"
    write_files(blocks, directory)  # a command may have written what is shown
