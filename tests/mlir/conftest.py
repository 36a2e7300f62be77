"""What the tests over MLIR's bindings share: mlir-opt of the same wheel."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from mlir_tools import MLIR_OPT

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def mlir_opt() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run mlir-opt on a file, or on text."""

    def run(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [MLIR_OPT, "--allow-unregistered-dialect", *arguments]
        return subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=60
        )

    return run
