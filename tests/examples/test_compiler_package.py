"""The package of `docs/compiler-package.md` is installed as users do, and its commands are run."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from documents import ROOT, Block, blocks_of, commands_of, shows

PAGE = ROOT / "docs" / "compiler-package.md"


@pytest.fixture(scope="module")
def blocks() -> list[Block]:
    """The page's blocks."""
    return blocks_of(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def directory(blocks: list[Block], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the package's sources, and an environment in which it is installed."""
    directory = tmp_path_factory.mktemp("package")
    for block in blocks:
        if block.title:
            file = directory / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
    venv.create(directory / "venv", symlinks=True)
    # What is installed here is there as well, so that nothing has to be downloaded.
    (packages,) = (directory / "venv" / "lib").glob("python*/site-packages")
    here = sysconfig.get_path("purelib")
    (packages / "here.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    uv = [Path(sys.executable).with_name("uv"), "pip", "install", "--python", directory / "venv"]
    options = ["--quiet", "--offline", "--no-deps", "--no-build-isolation"]
    subprocess.run([*uv, *options, directory / "calc"], check=True)
    return directory


def test_its_commands_print_what_is_shown(blocks: list[Block], directory: Path) -> None:
    """The tool, the pipeline and the suite print what the page shows."""
    tools = [directory / "venv" / "bin", Path(sys.executable).parent]
    # What the page shows is no use of xDSL that is about to go.
    environment = {**os.environ, "PYTHONWARNINGS": "error::DeprecationWarning"}
    environment["PATH"] = os.pathsep.join([*map(str, tools), os.environ["PATH"]])
    commands = [each for b in blocks if b.language == "console" for each in commands_of(b)]
    assert len(commands) == 2
    for command, shown in commands:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=directory,
            env=environment,
            check=False,
        )
        assert shows(shown, done.stdout), f"$ {command}\n{done.stdout}"


def test_nothing_of_it_is_imported_before_it_is_needed(directory: Path) -> None:
    """Listing its dialect and its pass takes neither; running the pass takes both."""
    program = """
import sys
from passel.passes import default_registry
from passel.xdsl import XDSLAdapter

print("calc-to-arith" in default_registry(), "convert-calc-to-arith" in default_registry())
context = XDSLAdapter().create_context()
print([name for name in sys.modules if name.startswith("calc.")])
print(context.get_optional_op("calc.square"))
print([name for name in sys.modules if name.startswith("calc.")])
"""
    python = directory / "venv" / "bin" / "python"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "True True",
        "[]",
        "<class 'calc.dialect.SquareOp'>",
        "['calc.dialect']",
    ]
