"""What the tests on realistic files share: the tool in this process, and mlir-opt beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mlir_tools import run_mlir_opt

from passel.tool import main

if TYPE_CHECKING:
    import subprocess
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
    """Run mlir-opt on text."""
    return run_mlir_opt
