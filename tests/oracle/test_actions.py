"""The action log and debug counters against the real mlir-opt.

Wanted differences:

* mlir-opt calls the thread `mlir-opt`, passel gives Python's name for it.
* mlir-opt logs the rewrites inside of passes; passel knows passes only.
* Ops are printed by xDSL: `builtin.module`, and arguments keep their names.
* `-` is the error stream: the IR alone goes to the standard output.
* mlir-opt takes counters that nothing counts, and dies of malformed ones with signal 6.
* Counters are printed once; mlir-opt prints them before the run as well.
* Of several places in a filter mlir-opt looks at the last only.
* A filter without a log, and one that is malformed, are errors; mlir-opt ignores them.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt, Outcome, Tool

_FUNCTION = """\
func.func @{}(%arg0: i32) -> i32 {{
  %0 = arith.addi %arg0, %arg0 : i32
  %1 = arith.addi %arg0, %arg0 : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}}
"""
SOURCE = "".join(_FUNCTION.format(name) for name in "abc")
NESTED = "builtin.module(func.func(cse,canonicalize),symbol-dce,func.func(cse))"


def left(run: Outcome) -> list[int]:
    """Return how many additions each function has, of two equal ones."""
    return [part.count("arith.addi") for part in run.out.split("func.func")[1:]]


def counters_of(run: Outcome) -> list[str]:
    """Return the counters that are printed last."""
    return run.err.rpartition("DebugCounter counters:\n")[2].splitlines()


class Tools(NamedTuple):
    """Either tool, run with flags on the same file."""

    mlir: Callable[..., Outcome]
    passel: Callable[..., Outcome]


@pytest.fixture
def tools(tool: Tool, mlir_opt: MlirOpt) -> Tools:
    """Both tools, in a directory with `in.mlir`."""
    Path("in.mlir").write_text(SOURCE)
    return Tools(partial(mlir_opt, "in.mlir"), partial(tool, "in.mlir"))


# -- The log ---------------------------------------------------------------------------------

_TAG = "`pass-execution`"


def shape(log: str) -> list[str]:
    """Return the log's lines on passes, without the thread and with what is printed alike."""
    lines = [line.partition("] ")[2] for line in log.splitlines() if _TAG in line]
    return [re.sub(r"\((builtin\.)?module \{\.\.\.\}\)", "(module)", line) for line in lines]


@pytest.mark.parametrize(
    "pipeline",
    [
        *("builtin.module()", "builtin.module(cse)", "builtin.module(func.func(cse))", NESTED),
        "any(func.func(cse),symbol-dce)",
        "builtin.module(builtin.module(cse),func.func(cse))",
    ],
)
def test_the_log_has_the_lines_of_mlir_opt(tools: Tools, pipeline: str) -> None:
    """To the letter, but for what the head of this file lists."""
    flag = f"--pass-pipeline={pipeline}"
    mlir, passel = tools.mlir(flag, "--log-actions-to=-"), tools.passel(flag, "--log-actions-to=-")
    assert (mlir.code, passel.code) == (0, 0)
    assert shape(passel.err) == shape(mlir.out)


@pytest.mark.parametrize(
    "places",
    [
        *("in.mlir:1", "in.mlir:1:1", "in.mlir:7", "in.mlir:7:2", "in.mlir:13:1"),
        *("in.mlir", "other.mlir:1", "in.mlir:2"),
    ],
)
def test_the_filter_selects_the_same(tools: Tools, places: str) -> None:
    """Places are files, lines or columns."""
    flags = [f"--pass-pipeline={NESTED}", f"--log-mlir-actions-filter={places}"]
    mlir = tools.mlir(*flags, "--log-actions-to=-")
    passel = tools.passel(*flags, "--log-actions-to=-")
    assert shape(passel.err) == [
        line for line in shape(mlir.out) if "GreedyPattern" not in line and "apply" not in line
    ]


def test_all_places_of_a_list_count(tools: Tools) -> None:
    """mlir-opt looks at the last only, whatever its help says."""
    flags = [f"--pass-pipeline={NESTED}", "--log-mlir-actions-filter=in.mlir:13,in.mlir:7"]
    mlir = tools.mlir(*flags, "--log-actions-to=-").out
    passel = tools.passel(*flags, "--log-actions-to=-").err
    assert ["(func.func @b" in mlir, "(func.func @c" in mlir] == [True, False]
    assert ["(func.func @b" in passel, "(func.func @c" in passel] == [True, True]


# -- Counters --------------------------------------------------------------------------------


@pytest.mark.parametrize("pipeline", [NESTED, "builtin.module(func.func(cse))"])
@pytest.mark.parametrize(
    "counters",
    [
        *("pass-execution-skip=0", "pass-execution-skip=2", "pass-execution-skip=-1"),
        *("pass-execution-count=0", "pass-execution-count=2", "pass-execution-count=-1"),
        *("pass-execution-count=4", "pass-execution-skip=2,pass-execution-count=1", ""),
        "pass-execution-skip=1,pass-execution-skip=0,pass-execution-count=3",
    ],
)
def test_the_same_executions_are_skipped(tools: Tools, pipeline: str, counters: str) -> None:
    """The same functions keep their equal additions, and the counters count alike."""
    flags = [f"--pass-pipeline={pipeline}", f"--mlir-debug-counter={counters}"]
    mlir = tools.mlir(*flags, "--mlir-print-debug-counter")
    passel = tools.passel(*flags, "--mlir-print-debug-counter")
    assert (mlir.code, passel.code) == (0, 0)
    assert left(passel) == left(mlir)
    assert counters_of(passel) == counters_of(mlir)
