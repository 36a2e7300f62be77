"""What the tests of the analyses share: parsing, random graphs, and mlir-opt."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from mlir_tools import run_mlir_opt
from xdsl.context import Context
from xdsl.dialects import get_all_dialects

from passel.xdsl import parse_source

if TYPE_CHECKING:
    import subprocess
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
    """Run mlir-opt on text."""
    return run_mlir_opt
