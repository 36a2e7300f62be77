"""MLIR's passes by name: what is refused and how it is said, and what is counted and measured."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from mlir.ir import Context, Module
from processes import survived

from passel import OptionError, PassManager, PipelineError, UnknownPassError
from passel.instruments import StatisticsReport
from passel.mlir import parse_source
from passel.mlir.calls import BindingsCalls
from passel.mlir.names import native_pass_class
from passel.mlir.standard_error import captured

if TYPE_CHECKING:
    from passel.hooks import PassInstrumentation


SOURCE = "func.func @f(%a: i32) { %0 = arith.addi %a, %a : i32 return }"


def test_a_pass_for_functions_says_so() -> None:
    """On another op, the error names the interface that the pass accepts."""
    manager = PassManager.parse("builtin.module(affine-loop-unroll)", Context())
    with pytest.raises(PipelineError, match=r"It runs on functions \(FunctionOpInterface\) only"):
        manager.run(Module.parse(SOURCE, manager.context))


def test_options_of_registered_pipelines() -> None:
    """MLIR's registered pipelines are taken apart, and refuse options that they do not have."""
    manager = PassManager.parse("builtin.module(sparsifier{vl=4})", Context())
    assert "sparse" in str(manager)
    with pytest.raises(OptionError, match="bogus"):
        PassManager.parse("builtin.module(sparsifier{bogus=4})", Context())


def test_reasons_that_mlir_writes_to_the_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    """They are part of the error, and later output gets to the standard error."""
    with pytest.raises(OptionError, match="--vl option: 'wide' value invalid"):
        PassManager.parse("builtin.module(sparsifier{vl=wide})", Context())
    os.write(2, b"after")
    assert capfd.readouterr().err.endswith("after")


def test_nothing_that_other_threads_write_is_lost(capfd: pytest.CaptureFixture[str]) -> None:
    """What other threads write to the standard error gets there while MLIR refuses pipelines."""
    context, lines = Context(), 20_000

    def write() -> None:
        for _ in range(lines):
            os.write(2, b"a line\n")

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        while not writing.done():
            with pytest.raises(OptionError, match="no such option bogus") as caught:
                PassManager.parse("any(gpu-register-host-buffers{bogus=1})", context)
            assert str(caught.value).startswith("<pass-pipeline>:1:31: error: ")
            module = parse_source(context, SOURCE, "t")
            PassManager.parse("builtin.module(func.func(cse,canonicalize))", context).run(module)
        writing.result()
    assert capfd.readouterr().err.count("a line\n") == lines


# -- Pipelines that MLIR does not survive -----------------------------------------------------


SCRIPT = """
import sys
from mlir.ir import Context
from passel import PassManager
from passel.errors import PipelineError

try:
    print(PassManager.parse(sys.argv[1], Context()))
except PipelineError as error:
    print(error)
"""


def test_a_pipeline_on_an_op_that_it_is_not_for() -> None:
    """It is refused when the pipeline is built; MLIR ends the process."""
    found = survived(SCRIPT, "builtin.module(func.func(sparsifier))")
    assert found.startswith("<pass-pipeline>:1:26: error: pipeline 'sparsifier': Can't add pass ")
    assert "restricted to 'builtin.module'" in found


def test_a_pipeline_in_options() -> None:
    """Nor may the options of MLIR's passes name such a pipeline."""
    options = "default-pipeline=canonicalize op-pipelines=func.func(cse,tosa-to-linalg-pipeline)"
    found = survived(SCRIPT, f"builtin.module(inline{{{options}}})")
    assert ":80: error: pipeline 'tosa-to-linalg-pipeline': Can't add pass" in found


def test_a_pipeline_as_the_option_of_a_pass_for_every_ir() -> None:
    """What such a pipeline consists of are MLIR's passes there as well."""
    text = "builtin.module(composite-fixed-point-pass{pipeline=sparsifier})"
    manager = PassManager.parse(text, Context())
    assert "reconcile-unrealized-casts" in str(manager)


@pytest.mark.parametrize(
    "text", ["func.func(cse),func.func()", "builtin.module(func.func()),func.func(cse,any())"]
)
def test_nested_pipelines_of_nothing(text: str) -> None:
    """They do nothing, wherever they stand."""
    context = Context()
    module = parse_source(context, "func.func @f() { return }\nmodule {}", "t.mlir")
    before = str(module)
    PassManager.parse(f"builtin.module({text})", context).run(module)
    assert str(module) == before


@pytest.mark.parametrize("name", ["\udcff", "cs\0e", "c\u200bse"])
def test_names_that_cannot_be_names(name: str) -> None:
    """What cannot be printed is not a pass of MLIR's."""
    assert native_pass_class("mlir", name) is None
    with pytest.raises(UnknownPassError):
        PassManager("builtin.module", Context()).add(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("canonicalize", "disable-patterns=\udcff"), ("sparsifier", "vl=\udcff")],
)
def test_options_that_are_not_utf8(name: str, text: str) -> None:
    """They are refused as wrong options."""
    with pytest.raises(OptionError, match=f"'{name}': invalid UTF-8"):
        PassManager("builtin.module", Context()).add(f"{name}{{{text}}}")


# -- Statistics and times, as MLIR counts and measures them -----------------------------------


FUNCTION = """
func.func @f{}(%a: i32) -> i32 {{
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}}
"""
FUNCTIONS = "".join(map(FUNCTION.format, range(3))) + "func.func private @g() { return }"


def run(pipeline: str, *observers: PassInstrumentation, jobs: int | None = None) -> Any:
    """Run a pipeline on the functions; return the result."""
    context = Context()
    manager = PassManager.parse(pipeline, context)
    for observer in observers:
        manager.add_instrumentation(observer)
    return manager.run(parse_source(context, FUNCTIONS, "t"), jobs=jobs)


def test_statistics_are_those_of_all_ops() -> None:
    """Numbers of several functions are added, though MLIR's pass keeps those of the last one.

    Each run has its own.
    """
    context = Context()
    pipeline = "builtin.module(builtin.module(func.func(canonicalize,cse,sccp)),symbol-dce)"
    manager = PassManager.parse(pipeline, context)
    manager.add_instrumentation(StatisticsReport())
    text = f"module {{ {FUNCTIONS} }} func.func private @unused()"
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
