"""What `docs/clients.md` shows is what happens, beside the packages that it is about.

Each section's commands are run in an environment of their own, `.venv/clients/NAME`, which has
the packages that the table of versions names, and then passel.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from documents import ROOT, blocks_of, commands_of, shows

from passel import __version__

PAGE = ROOT / "docs" / "clients.md"


class Client(NamedTuple):
    """A package to stand beside.

    Attributes:
        section: The title in the page.
        packages: As pip takes them; passel is installed after them, as users do.
        is_quick: Whether every change is tested with it.
        python: The Python that it is for.
    """

    section: str
    packages: str
    is_quick: bool = False
    python: str = "3.11"


CLIENTS = (
    Client("Catalyst", "pennylane-catalyst==0.15.0"),
    Client("xdsl-jax", "xdsl-jax==0.6.0 jax==0.10.2 xdsl==0.73.0"),
    Client("JAX", "jax==0.10.2"),
    Client("JAX", "jax==0.9.2"),
    Client("IREE", "iree-base-compiler==3.13.0"),
    Client("IREE", "iree-base-compiler==3.12.0"),
    Client("torch-mlir", "torch-mlir==20261001", is_quick=True),
    Client("CIRCT", "circt==1.162.0", is_quick=True, python="3.13"),
    Client("FlyDSL", "flydsl==0.5.0", is_quick=True),
    Client("numba-cuda-mlir", "numba-cuda-mlir==0.6.0"),
    Client("CUTLASS", "nvidia-cutlass-dsl==4.8.1"),
    Client("ASTER", "aster-mlir==0.0.4", python="3.12"),
    Client("hk", "hk-dsl==0.8.0", python="3.12"),
)


def environment_of(client: Client) -> Path:
    """Return the directory with the client's programs, made when it is first needed."""
    path = ROOT / ".venv" / "clients" / re.sub(r"[^\w.]+", "-", client.packages)
    stamp = path / "complete"
    if not stamp.is_file():
        latest = subprocess.getoutput(f"pyenv latest {client.python} 2>/dev/null")  # noqa: S605
        make = (f"python{client.python}", "-m", "venv", "--clear", "--without-pip", str(path))
        subprocess.run(make, env={**os.environ, "PYENV_VERSION": latest}, check=True)
        uv = (Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--system-certs")
        for packages in client.packages.split(), ("-e", str(ROOT)):
            subprocess.run((*uv, "--python", path, *packages), check=True)
        stamp.touch()
    return path / "bin"


def commands(section: str) -> list[tuple[str, str]]:
    """Return the commands of a section, but for the one that installs."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(section)}$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"the page has no section '{section}'"
    blocks = [block for block in blocks_of(found[1]) if block.language == "console"]
    shown = [each for block in blocks for each in commands_of(block)]
    assert shown[0][0].startswith("pip install ")
    return shown[1:]


@pytest.mark.parametrize(
    "client",
    [
        pytest.param(
            client,
            id=client.packages,
            marks=[pytest.mark.clients, *[pytest.mark.quick] * client.is_quick],
        )
        for client in CLIENTS
    ],
)
def test_commands_print_what_is_shown(client: Client, tmp_path: Path) -> None:
    """Beside the client's packages, every command of its section prints the lines below it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{environment_of(client)}{os.pathsep}{os.environ['PATH']}"
    shown = commands(client.section)
    assert shown
    for command, expected in shown:
        done = subprocess.run(
            ("/bin/sh", "-c", command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "NO_COLOR": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
            check=False,
            timeout=300,
        )
        assert shows(expected, done.stdout), f"$ {command}\n{done.stdout}"


def test_versions_are_those_tested() -> None:
    """The table of versions names what the clients, the releases of xDSL and the suite have."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    releases = re.search(r"^XDSL_RELEASES := (.*)", makefile, re.MULTILINE)
    assert releases
    tested = {package for client in CLIENTS for package in client.packages.split()}
    tested |= {f"xdsl=={release}" for release in releases[1].split()}
    locked = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    tested |= {line for line in locked if line.startswith(("xdsl==", "xtc-mlir-python-bindings=="))}
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)`.*? \| ([\d., ]+) \|$", page, re.MULTILINE)
    shown = {f"{name}=={version}" for name, versions in rows for version in versions.split(", ")}
    assert tested == shown


def test_the_matrix_names_what_is_tested() -> None:
    """`docs/api.md` has the version, the Pythons, and the releases of xDSL and of MLIR's bindings."""

    def found(pattern: str, name: str) -> list[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        return [
            word for each in re.finditer(pattern, text, re.MULTILINE) for word in each[1].split()
        ]

    (newest,) = found(r"^xdsl==(.*)$", "constraints.txt")
    (bindings,) = found(r"^xtc-mlir-python-bindings==(.*)$", "constraints.txt")
    releases = ", ".join(found(r"^XDSL_RELEASES := (.*)$", "Makefile"))
    oldest, *others = found(r"^    \"Programming Language :: Python :: (3\.\d+)", "pyproject.toml")
    (some,) = found(r"\bPYTHONS=(\S+)", ".ci/run")
    assert others == found(r"^PYTHONS \?= (.*)$", "Makefile")
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [
        row.rpartition(" | ")[0] for row in re.findall(r"^\| (\d.*) \|$", page, re.MULTILINE)
    ] == [
        f"{__version__} | {oldest} | {newest} | {bindings}",
        f"{__version__} | {', '.join(others)} | {newest} | {bindings}",
        f"{__version__} | {oldest} | {releases} | {bindings}",
    ]
    assert f"on {some}, tests of the core" in page
