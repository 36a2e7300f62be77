"""Fixtures shared by the tests over xDSL's IR."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from xdsl.printer import Printer
from xdsl_inputs import xdsl_context

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation

    from passel import Pass, RunResult


@pytest.fixture
def context() -> Context:
    """A context of the test's own that knows every dialect and takes unregistered ops."""
    return xdsl_context()


@pytest.fixture
def parse(context: Context) -> Callable[[str], Operation]:
    """Parse text to a module."""
    return lambda text: parse_source(context, text, "test.mlir")


@pytest.fixture
def parse_op(context: Context) -> Callable[[str], Operation]:
    """Parse text to its single top-level op, whatever that is."""
    return lambda text: parse_source(context, text, "test.mlir", implicit_module=False)


@pytest.fixture
def text_of() -> Callable[..., str]:
    """Print an op in generic form, if not told otherwise with locations, so that nothing is hidden."""

    def to_text(op: Operation, *, locations: bool = True) -> str:
        stream = StringIO()
        located = locations and all(hasattr(x, "location") for x in op.walk())  # xDSL omits some
        Printer(stream, print_generic_format=True, print_debuginfo=located).print_op(op)
        return stream.getvalue()

    return to_text


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
