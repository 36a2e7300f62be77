"""What the tests of the transformations share: mlir-opt, mlir-runner, and real programs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from mlir_tools import MLIR, MLIR_OPT

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

    from passel import Pass, RunResult


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


@pytest.fixture
def parse() -> Callable[[str], Operation]:
    """Parse text to a module."""
    return lambda text: parse_source(XDSLAdapter().create_context(), text, "test.mlir")


@pytest.fixture
def transform() -> Callable[..., tuple[Operation, RunResult]]:
    """Parse text, run a pipeline or passes on the module, and return it and the result.

    Everything is verified after each pass, and every analysis that a pass preserved.
    """

    def run(text: str, *passes: str | Pass) -> tuple[Operation, RunResult]:
        adapter = XDSLAdapter()
        context = adapter.create_context()
        module = parse_source(context, text, "test.mlir")
        manager = PassManager("builtin.module", context).add(*passes)
        manager.enable_verifier("always")
        manager.enable_analysis_verifier()
        result = manager.run(module)
        return module, result

    return run
