"""What the tests of real programs share: mlir-opt and mlir-runner, which must succeed."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from mlir_tools import MLIR, MLIR_OPT

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def mlir_opt() -> Callable[..., str]:
    """Run mlir-opt on text; it must succeed."""

    def run(text: str, *arguments: str) -> str:
        result = subprocess.run(
            [MLIR_OPT, *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{result.stderr}\n{text}"
        return result.stdout

    return run


@pytest.fixture(scope="session")
def execute(mlir_opt: Callable[..., str]) -> Callable[[str], str]:
    """Lower a module, run its function `entry`, and return what that printed and returned."""
    lowering = "--convert-scf-to-cf", "--convert-to-llvm", "--reconcile-unrealized-casts"

    def run(text: str) -> str:
        result = subprocess.run(
            [
                MLIR / "bin" / "mlir-runner",
                *("-e", "entry", "--entry-point-result=i32"),
                f"--shared-libs={MLIR / 'lib' / 'libmlir_c_runner_utils.so'}",
            ],
            input=mlir_opt(text, *lowering),
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{result.stderr}\n{text}"
        return result.stdout

    return run
