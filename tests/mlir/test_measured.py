"""Statistics and times of native passes, as MLIR counts and measures them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from mlir.ir import Context

from passel import Pass, PassContext, PassFailedError, PassManager
from passel.hooks import PassInstrumentation
from passel.instruments import StatisticsReport, Timer, Timing
from passel.mlir import measured, parse_source, pipelines
from passel.mlir.bindings_calls import BindingsCalls
from passel.mlir.passes import CSE
from passel.mlir.pipelines import CompiledPipeline
from passel.mlir.standard_error import printed_by

if TYPE_CHECKING:
    from passel.schedule import Step

FUNCTION = """
func.func @f{}(%a: i32) -> i32 {{
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}}
"""
SOURCE = "".join(map(FUNCTION.format, range(3))) + "func.func private @g() { return }"


class Look(Pass[Any]):
    """Do nothing."""

    name = "look"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


def run(pipeline: str, *observers: PassInstrumentation, jobs: int | None = None) -> Any:
    """Run a pipeline on the functions; return the result."""
    context = Context()
    manager = PassManager.parse(pipeline, context)
    for observer in observers:
        manager.add_instrumentation(observer)
    return manager.run(parse_source(context, SOURCE, "t"), jobs=jobs)


def outline(timer: Timer, indent: str = "") -> list[str]:
    """Return the rows that a tree shows, with how often they ran."""
    found: list[str] = []
    for each in timer.children:
        if not each.hidden:
            found.append(f"{indent}{each.name} x{each.count}")
        found += outline(each, indent if each.hidden else f"{indent}  ")
    return found


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what MLIR's pass managers run, one line for each call."""
    found: list[str] = []
    original = CompiledPipeline.run

    def spy(self: CompiledPipeline, operation: Any, *how: Any, **named: Any) -> Any:
        found.append(str(self))
        return original(self, operation, *how, **named)

    monkeypatch.setattr(CompiledPipeline, "run", spy)
    return found


def test_statistics_are_those_of_all_ops() -> None:
    """Numbers of several functions are added, though MLIR's pass keeps those of the last one."""
    result = run("builtin.module(func.func(cse),symbol-dce)", StatisticsReport())
    assert result.statistics["builtin.module/func.func/0:cse"] == {"num-cse'd": 6, "num-dce'd": 0}
    assert result.statistics["builtin.module/0:symbol-dce"] == {"num-dce'd": 1}


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


@pytest.mark.parametrize("jobs", [None, 1])
def test_native_passes_are_timed_in_one_call(calls: list[str], jobs: int | None) -> None:
    """Rows are those of passes run one by one, and analyses have some as well."""
    timing = Timing()
    pipeline = "builtin.module(symbol-dce,func.func(cse,sccp),gpu.module(cse),func.func(cse))"
    run(pipeline, timing, jobs=jobs)
    assert len(calls) == 2  # ops of gpu.module are isolated, and might hold others
    assert outline(timing.timing) == [
        "SymbolDCE x1",
        "Pipeline Collection : ['func.func', 'gpu.module'] x1",
        "  'func.func' Pipeline x3",
        "    CSE x3",
        "      (A) DominanceInfo x1",
        "    SCCP x3",
        "    CSE x3",
        "      (A) DominanceInfo x1",
    ]
    paths = [timer.path for timer in timing.timing.walk() if timer.name == "CSE"]
    assert paths == ["builtin.module/func.func/0:cse", "builtin.module/func.func/2:cse"]


def test_times_add_up() -> None:
    """Nothing takes longer than what it is in, but on several threads, and nothing is negative."""
    timing = Timing()
    run("builtin.module(canonicalize,func.func(cse,canonicalize,cse),symbol-dce)", timing, jobs=1)
    for timer in timing.timing.walk():
        inside = sum(each.wall for each in timer.children)
        assert timer.wall >= 0
        assert inside <= timer.wall + 0.0011  # percents have one digit


def test_passes_in_python_among_native_ones_are_timed_as_before() -> None:
    """Each kind has its row, in the order of the pipeline."""
    context, timing = Context(), Timing()
    manager = PassManager("builtin.module", context)
    manager.nest("func.func").add("cse,sccp").add(Look()).add(CSE())
    manager.add_instrumentation(timing)
    manager.run(parse_source(context, SOURCE, "t"))
    assert [row for row in outline(timing.timing) if "(A)" not in row] == [
        "'func.func' Pipeline x4",
        "  CSE x4",
        "  SCCP x4",
        "  Look x4",
        "  CSE x4",
    ]


def test_a_failure_leaves_the_rows_up_to_it() -> None:
    """A pipeline that fails in one call names the pass, and has times of those that ran."""
    timing = Timing()
    context = Context()
    manager = PassManager.parse(
        "builtin.module(func.func(cse,convert-complex-to-llvm,cse))", context
    )
    manager.add_instrumentation(timing)
    source = "func.func @f(%a: complex<f32>) -> complex<f32> { %0 = complex.cos %a : complex<f32> return %0 : complex<f32> }"
    with pytest.raises(PassFailedError, match="convert-complex-to-llvm"):
        manager.run(parse_source(context, source, "t"))
    assert timing.timing.find("CSE") is not None


class Dumps(PassInstrumentation):
    """Sees each pass."""

    one_by_one = True

    def before_pass(self, step: Step, op: Any) -> None:
        """Look at it."""


def test_analyses_have_rows_where_passes_run_one_by_one() -> None:
    """What else observes the run does not take them away, nor the statistics."""
    timing = Timing()
    result = run("builtin.module(cse,symbol-dce)", timing, StatisticsReport(), Dumps())
    assert "  (A) DominanceInfo x1" in outline(timing.timing)
    assert result.statistics["builtin.module/0:cse"] == {"num-cse'd": 6, "num-dce'd": 0}


def test_a_build_without_the_c_api_is_measured_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """There MLIR is called by the bindings alone, and what it reports is collected all the same."""
    monkeypatch.setattr(pipelines, "calls_of", BindingsCalls)
    timing = Timing()
    result = run("builtin.module(func.func(cse),symbol-dce)", timing, StatisticsReport())
    assert timing.timing.find("(A) DominanceInfo") is not None
    assert result.statistics["builtin.module/0:symbol-dce"] == {"num-dce'd": 1}


def test_what_passes_print_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    """Only MLIR's report is taken from the standard error."""
    result = run("builtin.module(func.func(cse),print-op-stats,symbol-dce)", StatisticsReport())
    assert "Operations encountered" in capfd.readouterr().err
    assert result.statistics["builtin.module/1:symbol-dce"] == {"num-dce'd": 1}


def test_a_system_that_does_not_allow_it_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, calls: list[str]
) -> None:
    """There passes are timed one by one, without statistics, and the log says why once."""
    monkeypatch.setattr(measured, "can_be_own", lambda: False)
    measured.native_statistics.cache_clear()
    timing = Timing()
    result = run("builtin.module(func.func(cse),symbol-dce)", timing, StatisticsReport())
    measured.native_statistics.cache_clear()
    assert len(calls) == 5
    assert [row for row in outline(timing.timing) if "DCE" in row] == ["SymbolDCE x1"]
    assert result.statistics == {}
    assert "no times and statistics of 'mlir'" in caplog.text


def test_only_the_calling_thread_prints_elsewhere(capfd: pytest.CaptureFixture[str]) -> None:
    """The standard error of other threads, and its number, stay what they are."""

    def work(call: Any) -> int:
        return call(lambda: os.write(2, b"===---report"))

    number, report = printed_by(work, b"===---")
    os.write(2, b"after")
    assert (number, report) == (12, b"===---report")
    assert capfd.readouterr().err == "after"
