"""Fixtures shared by the tests of the xDSL adapter."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

    from passel import Pass, RunResult

_SPLIT = "// -----"


@pytest.fixture(scope="session")
def corpus() -> list[str]:
    """The chunks of every lit test that xDSL's wheel ships."""
    # The wheel installs its tests beside its package.
    folder = Path(str(distribution("xdsl").locate_file("tests/filecheck")))
    files = sorted(folder.rglob("*.mlir"))
    assert len(files) > 500, f"xDSL's test corpus is not installed at {folder}"
    return [chunk for file in files for chunk in file.read_text(encoding="utf-8").split(_SPLIT)]


@pytest.fixture(scope="session")
def all_dialects() -> Context:
    """A context that knows every dialect, to be cloned."""
    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return context


@pytest.fixture
def context(all_dialects: Context) -> Context:
    """A context of the test's own that knows every dialect and no unregistered op."""
    clone = all_dialects.clone()
    clone.allow_unregistered = False
    return clone


@pytest.fixture
def parse(context: Context) -> Callable[[str], Operation]:
    """Parse text that may hold unregistered ops."""
    context.allow_unregistered = True
    return lambda text: parse_source(context, text, "test.mlir")


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
