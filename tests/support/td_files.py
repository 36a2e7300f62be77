"""TableGen files: MLIR's own, written ones, and what mlir-tblgen makes of them."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import MLIR

from passel.specification import read_passes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.specification.records import PassDeclaration

ROOT = Path(__file__).resolve().parents[2]
HEADER = 'include "mlir/Pass/PassBase.td"\n'

_DIRECTORIES = (ROOT / ".venv/declarations/include", Path("/usr/lib/llvm-22/include"))
DECLARATIONS = next((each for each in _DIRECTORIES if each.is_dir()), None)
"""Where MLIR's `.td` files are, if they are there."""

PASSES_TD = sorted(DECLARATIONS.glob("**/Passes.td")) if DECLARATIONS else []
"""MLIR's declarations of passes."""


def declarations() -> Path:
    """Return the directory of MLIR's `.td` files; skip the test without, but fail in CI."""
    if DECLARATIONS is None:
        reason = "MLIR's declarations are not there: make extras"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return DECLARATIONS


def name_of(path: Path) -> str:
    """Return the part of a path of MLIR's that tells its files apart."""
    return "-".join(path.relative_to(declarations() / "mlir").parts[:-1])


def mlir_tblgen(generator: str, file: Path, *flags: str) -> str:
    """Return what mlir-tblgen prints for a file."""
    command = [str(MLIR / "bin" / "mlir-tblgen"), generator, *flags, str(file)]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


@cache
def mlir_passes(file: Path) -> Sequence[PassDeclaration]:
    """Return the passes that a file of MLIR's declares, read once."""
    return read_passes(str(file), include=[str(declarations())])
