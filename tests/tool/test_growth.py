"""Twice as many failures take twice the work, whatever is printed about them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tool_fixtures import FAIL

from passel import PassFailedError, PassFailure, PassManager
from passel.diagnostics import Diagnostic, Location, Severity
from passel.frontend import SourcePart
from passel.instruments import CrashReproducer
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.tool.expectations import DiagnosticVerifier

if TYPE_CHECKING:
    from types import FrameType

    from tool_fixtures import Tool


def verify(size: int) -> None:
    """Check errors off a list: directives for lines, and as many for the same line."""
    numbers = range(1, size + 1)
    lines = (f"x // expected-error {{{{no {n}}}}}" for n in numbers)
    verifier = DiagnosticVerifier(SourcePart("\n".join(lines), "in"))
    for n in numbers:
        verifier(Diagnostic(Severity.ERROR, f"no {n}", Location("in", n, 1)))
    assert not verifier.finish()
    for where in ("above", "below"):
        text = f"// expected-error@{where} {{{{no}}}}\n" * size
        assert len(DiagnosticVerifier(SourcePart(f"x\n{text}x", "in")).finish()) == size


def test_work_grows_with_the_number() -> None:
    """Four times as many ops run about four times as many lines of Python."""
    counts: list[int] = []

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        counts[-1] += event == "line"
        return trace

    before = sys.gettrace()
    for size in (50, 200):
        counts.append(0)
        sys.settrace(trace)
        try:
            verify(size)
        finally:
            sys.settrace(before)
    few, many = counts
    assert many < 6 * few


def test_a_note_names_twenty_failures_at_most(tmp_path: Path) -> None:
    """The others are counted."""

    def fail(op: ToyOp, _: Any) -> None:
        raise PassFailure("no")

    functions = ",".join(f"toy.func @f{i}" for i in range(25))
    pm = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", fail)
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
