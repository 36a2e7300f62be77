"""Statistics and times of native passes, as MLIR counts and measures them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mlir.ir import Context

from passel import PassManager
from passel.instruments import StatisticsReport
from passel.mlir import parse_source
from passel.mlir.calls import BindingsCalls
from passel.mlir.standard_error import captured

if TYPE_CHECKING:
    import pytest

    from passel.hooks import PassInstrumentation

FUNCTION = """
func.func @f{}(%a: i32) -> i32 {{
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}}
"""
SOURCE = "".join(map(FUNCTION.format, range(3))) + "func.func private @g() { return }"


def run(pipeline: str, *observers: PassInstrumentation, jobs: int | None = None) -> Any:
    """Run a pipeline on the functions; return the result."""
    context = Context()
    manager = PassManager.parse(pipeline, context)
    for observer in observers:
        manager.add_instrumentation(observer)
    return manager.run(parse_source(context, SOURCE, "t"), jobs=jobs)


def test_statistics_are_those_of_all_ops() -> None:
    """Numbers of several functions are added, though MLIR's pass keeps those of the last one.

    Each run has its own.
    """
    context = Context()
    pipeline = "builtin.module(builtin.module(func.func(canonicalize,cse,sccp)),symbol-dce)"
    manager = PassManager.parse(pipeline, context)
    manager.add_instrumentation(StatisticsReport())
    text = f"module {{ {SOURCE} }} func.func private @unused()"
    for _ in range(2):  # in the first, MLIR also tells which statistics there are
        found = manager.run(parse_source(context, text, "t")).statistics
        path = "builtin.module/builtin.module/func.func/1:cse"
        assert found[path] == {"num-cse'd": 6, "num-dce'd": 0}
        assert found["builtin.module/0:symbol-dce"] == {"num-dce'd": 2}


def test_the_report_of_statistics_has_mlirs_names(capfd: pytest.CaptureFixture[str]) -> None:
    """It shows passes that found no op as well, and nothing of it is MLIR's own report."""
    run("builtin.module(gpu.module(cse),symbol-dce)", StatisticsReport())
    assert capfd.readouterr().err.splitlines()[3:] == [
        "'gpu.module' Pipeline",
        "  CSE",
        "    (S) 0 num-cse'd - Number of operations CSE'd",
        "    (S) 0 num-dce'd - Number of operations DCE'd",
        "SymbolDCE",
        "  (S) 1 num-dce'd - Number of symbols DCE'd",
        "",
    ]


def test_a_build_without_the_c_api_is_measured_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """There MLIR is called by the bindings alone, and what it reports is collected all the same."""
    monkeypatch.setattr("passel.mlir.native.calls_of", BindingsCalls)
    result = run("builtin.module(func.func(cse),symbol-dce)", StatisticsReport())
    assert result.statistics["builtin.module/0:symbol-dce"] == {"num-dce'd": 1}


def test_what_passes_print_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    """Only MLIR's report is taken from the standard error."""
    result = run("builtin.module(func.func(cse),print-op-stats,symbol-dce)", StatisticsReport())
    assert "Operations encountered" in capfd.readouterr().err
    assert result.statistics["builtin.module/1:symbol-dce"] == {"num-dce'd": 1}


def test_standard_error_is_captured_inside_a_block_alone(capfd: pytest.CaptureFixture[str]) -> None:
    """What is printed after the block goes where it went before."""
    with captured() as output:
        os.write(2, b"report")
    assert output.getvalue() == b"report"
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"
