"""Twice as many failures take twice the work, whatever is printed about them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tool_fixtures import FAIL

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.diagnostics import Diagnostic, Location, Severity
from passel.frontend import SourcePart
from passel.instruments import CrashReproducer
from passel.testing import ToyAdapter, parse_toy
from passel.tool.expectations import DiagnosticVerifier

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from tool_fixtures import Tool


class Fail(Pass[Any]):
    """Fail."""

    name = "fail"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure("no")


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python something runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def error(line: int) -> Diagnostic:
    """Return an error at a line."""
    return Diagnostic(Severity.ERROR, f"no {line}", Location("in", line, 1))


def verify(size: int) -> Callable[[], object]:
    """Check errors off a list: directives for lines, and as many for the same line."""
    ahead = "\n".join(f"x // expected-error {{{{no {line}}}}}" for line in range(1, size + 1))
    above = "\n".join(["x", *["// expected-error@above {{no}}"] * size])
    below = "\n".join([*["// expected-error@below {{no}}"] * size, "x"])

    def work() -> None:
        verifier = DiagnosticVerifier(SourcePart(ahead, "in"))
        for line in range(1, size + 1):
            verifier(error(line))
        assert not verifier.finish()
        for text in (above, below):
            assert len(DiagnosticVerifier(SourcePart(text, "in")).finish()) == size

    return work


def test_work_grows_with_the_number() -> None:
    """Four times as many ops run about four times as many lines."""
    few, many = lines_run(verify(50)), lines_run(verify(200))
    assert many < 6 * few


def test_a_note_names_twenty_failures_at_most(tmp_path: Path) -> None:
    """The others are counted."""
    functions = ",".join(f"toy.func @f{i}" for i in range(25))
    pm = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Fail())
    pm.add_instrumentation(CrashReproducer(tmp_path / "r"))
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy(f"toy.module({functions})"))
    (note,) = caught.value.__notes__
    assert "operation: @f19 and 5 more]: reproducer generated at" in note


def test_an_op_in_a_note_is_printed_by_itself(tool: Tool) -> None:
    """As MLIR prints it there: without looking through the rest of the module for aliases."""
    Path("plugin.py").write_text(FAIL)
    Path("in.mlir").write_text(
        "#map = affine_map<(d0) -> (d0)>\nfunc.func private @f() attributes {x.map = #map}"
    )
    flags = ("--load-pass-plugin=plugin.py", "--ir=mlir", "--allow-unregistered-dialect")
    outcome = tool("in.mlir", *flags, "-p", "builtin.module(func.func(fail))")
    assert "x.map = affine_map<(d0) -> (d0)>" in outcome.err.partition("see current operation")[2]
