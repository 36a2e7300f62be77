"""Reports of timing and statistics have mlir-opt's rows, order, nesting, titles and fields.

Times are masked, and so are the values of statistics but for those that agree. What is
different on purpose is in `WANTED` and `LACKING_VALUES`, with the reason.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tool_fixtures import MlirOpt, Tool

SOURCE = """
module {
  func.func @f(%a: i32, %c: i1) -> i32 {
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %a, %a : i32
    %m = memref.alloca() : memref<i32>
    cf.cond_br %c, ^then, ^else
  ^then:
    memref.store %0, %m[] : memref<i32>
    cf.br ^end
  ^else:
    memref.store %1, %m[] : memref<i32>
    cf.br ^end
  ^end:
    %v = memref.load %m[] : memref<i32>
    %r = func.call @callee(%v) : (i32) -> i32
    return %r : i32
  }
  func.func private @callee(%a: i32) -> i32 {
    return %a : i32
  }
  func.func private @dead() {
    return
  }
}
"""

BROKEN = "func.func @f( {"
SPLIT = "func.func @a() { return }\n// -----\nfunc.func @b() { return }\n"

FLAT = "builtin.module(cse,symbol-dce,canonicalize,strip-debuginfo)"
NESTED = "builtin.module(func.func(cse,canonicalize),symbol-dce,any(cse),func.func(mem2reg))"
MERGED = (
    "builtin.module(builtin.module(symbol-dce),func.func(cse,loop-invariant-code-motion),"
    "func.func(canonicalize,canonicalize),cse)"
)
INTERPROCEDURAL = "builtin.module(inline,symbol-dce,sccp)"
REPEATED = "builtin.module(symbol-dce,cse,symbol-dce)"
DYNAMIC = "builtin.module(func.func(composite-fixed-point-pass{pipeline=cse,canonicalize}),cse)"

TIMING = "--mlir-timing"
STATISTICS = "--mlir-pass-statistics"
AS_LIST = "--mlir-timing-display=list"
AS_TREE = "--mlir-timing-display=tree"
AS_JSON = "--mlir-output-format=json"
STATISTICS_LIST = "--mlir-pass-statistics-display=list"
STATISTICS_TREE = "--mlir-pass-statistics-display=pipeline"
SPLITTING = "--split-input-file"


@dataclass(frozen=True)
class Wanted:
    """A row that one of the tools does not have, on purpose.

    Attributes:
        lacking: The tool that does not have it, or not always.
        below: The name of the row that it is below of.
        row: Its name.
        reason: Why.
    """

    lacking: str
    below: str
    row: str
    reason: str


WANTED = (
    Wanted("passel", "CSE", "(A) DominanceInfo", "asked for only if the op has several blocks"),
    Wanted("passel", "Mem2Reg", "(A) DataLayoutAnalysis", "slots have types here, not sizes"),
    Wanted("passel", "Mem2Reg", "(A) DominanceInfo", "asked for only if there is a slot"),
    Wanted("mlir", "SCCP", "(A) CallGraph", "the callers that are known come from an analysis"),
    Wanted("mlir", "SCCP", "(S)", "counts what it found; MLIR's counts nothing"),
    Wanted("mlir", "Inliner", "(S)", "counts what it inlined; MLIR's counts nothing"),
    Wanted("mlir", "Inliner", "'any' Pipeline", "MLIR puts what a pass runs at the top"),
    Wanted("passel", "", "'func.func' Pipeline of Inliner", "the same"),
    Wanted("mlir", "CompositeFixedPointPass", "'any' Pipeline", "the same; statistics too"),
    Wanted("passel", "", "'any' Pipeline of CompositeFixedPointPass", "the same"),
)

LACKING_VALUES = (
    ("any nested pass", "MLIR 22 prints 0, whatever was counted"),
    ("num-cse'd", "MLIR 22 counts each twice"),
)

COMBINATIONS: list[tuple[str, tuple[str, ...], str]] = [
    (FLAT, (TIMING,), SOURCE),
    (FLAT, (TIMING, AS_TREE, STATISTICS, STATISTICS_TREE), SOURCE),
    (FLAT, (STATISTICS, STATISTICS_LIST), SOURCE),
    (NESTED, (TIMING,), SOURCE),
    (NESTED, (TIMING, AS_LIST), SOURCE),
    (NESTED, (TIMING, AS_JSON), SOURCE),
    (NESTED, (TIMING, AS_JSON, AS_LIST), SOURCE),
    (NESTED, (STATISTICS,), SOURCE),
    (NESTED, (STATISTICS, STATISTICS_LIST, TIMING, AS_LIST), SOURCE),
    (MERGED, (TIMING,), SOURCE),
    (MERGED, (TIMING, AS_LIST), SOURCE),
    (MERGED, (TIMING, AS_JSON), SOURCE),
    (MERGED, (STATISTICS,), SOURCE),
    (MERGED, (STATISTICS, STATISTICS_LIST), SOURCE),
    (INTERPROCEDURAL, (TIMING, STATISTICS), SOURCE),
    (REPEATED, (STATISTICS, STATISTICS_LIST, TIMING), SOURCE),
    (DYNAMIC, (TIMING, STATISTICS), SOURCE),
    (FLAT, (TIMING, STATISTICS), BROKEN),
    (FLAT, (TIMING, AS_JSON), BROKEN),
    (NESTED, (TIMING, STATISTICS, SPLITTING), SPLIT),
    (NESTED, (TIMING, AS_LIST, STATISTICS_LIST, STATISTICS, SPLITTING), SPLIT),
    (FLAT, (AS_LIST, STATISTICS_LIST, AS_JSON), SOURCE),
]


def masked(text: str) -> list[str]:
    """Return the lines of the reports, with numbers masked; diagnostics are not reports."""
    start = re.search(r"^(===-|\[$)", text, re.MULTILINE)
    text = text[start.start() :] if start else ""
    text = re.sub(r"  Shared with .*\n", "", text)  # a line below the report, of passel alone
    text = re.sub(r" *-?\d+\.\d+", " N", text)
    return re.sub(r"\(S\) +\d+", "(S) N", text).splitlines()


def without_wanted(lines: list[str]) -> list[str]:
    """Return the lines of a report without the rows that are wanted, and what is in them."""
    kept: list[str] = []
    above: list[tuple[int, str]] = []  # indent and name of the rows that are open
    dropping: int | None = None
    for line in lines:
        match = re.match(r"(?:(?: N \( N%\))+|) *", line)
        assert match is not None
        name, depth = line[match.end() :], match.end()
        while above and above[-1][0] >= depth:
            above.pop()
        if dropping is not None and depth > dropping:
            continue
        dropping = None
        parent = above[-1][1] if above else ""
        if any(_is(wanted, parent, name, kept) for wanted in WANTED):
            dropping = depth
            continue
        above.append((depth, name))
        kept.append(line)
    return kept


def _is(wanted: Wanted, parent: str, name: str, before: list[str]) -> bool:
    row, of, runner = wanted.row.partition(" of ")
    if of:  # it follows the pass that runs it, and its time counts twice: `Rest` may be negative
        return name == row and any(line.endswith(f" {runner}") for line in before[-2:])
    return wanted.below == parent and (name == row or (row == "(S)" and name.startswith("(S)")))


def json_lines(text: str) -> list[str]:
    """Return the rows of a report in JSON as lines that are indented like the text's."""
    rows: list[dict[str, Any]] = json.loads(text[text.index("[\n") :])

    def lines(rows: list[dict[str, Any]], depth: int) -> list[str]:
        found: list[str] = []
        for row in rows:
            if row:
                found.append(f"{'  ' * depth}{row['name']}")
                found += lines(row.get("passes", []), depth + 1)
        return found

    return lines(rows, 0)


@pytest.mark.parametrize(("pipeline", "flags", "source"), COMBINATIONS)
def test_reports_have_the_same_rows(
    pipeline: str, flags: tuple[str, ...], source: str, mlir_opt: MlirOpt, tool: Tool
) -> None:
    """Same header, titles, rows, order and nesting, but for what is wanted."""
    command = (f"--pass-pipeline={pipeline}", *flags)
    theirs = mlir_opt(*command, source=source).err
    ours = tool(*command, "--mlir-diagnostic-verbosity-level=warnings", stdin=source).err
    if AS_JSON in flags and TIMING in flags:
        expected, actual = json_lines(theirs), json_lines(ours)
    else:
        expected, actual = masked(theirs), masked(ours)
    expected, actual = without_wanted(expected), without_wanted(actual)
    if AS_LIST in flags:  # sorted by time, and flat: what is wanted there has no parent
        analyses = re.compile(r"\(A\)")
        expected = sorted(line for line in expected if not analyses.search(line))
        actual = sorted(line for line in actual if not analyses.search(line))
    assert actual == expected
    assert actual or TIMING not in flags


def test_analyses_are_below_the_pass_that_asks(mlir_opt: MlirOpt, tool: Tool) -> None:
    """Where both tools ask for an analysis, its row has the same name and place."""
    source = SOURCE[: SOURCE.index("  func.func private @callee")].replace(
        "func.call @callee", "call @g"
    )
    source += "  func.func private @g(i32) -> i32\n}\n"
    for pipeline, pass_name, analysis in (
        ("builtin.module(func.func(cse))", "CSE", "DominanceInfo"),
        ("builtin.module(func.func(mem2reg))", "Mem2Reg", "DominanceInfo"),
        ("builtin.module(inline)", "Inliner", "CallGraph"),
    ):
        flags = (f"--pass-pipeline={pipeline}", TIMING)
        for report in mlir_opt(*flags, source=source).err, tool(*flags, stdin=source).err:
            lines = masked(report)
            row = next(i for i, line in enumerate(lines) if line.endswith(f" {pass_name}"))
            below = lines[row].replace(pass_name, f"  (A) {analysis}")
            assert below in lines[row + 1 : row + 3]


def test_json_is_written_the_same_way(mlir_opt: MlirOpt, tool: Tool) -> None:
    """Field order, padding, line breaks and the empty objects at the ends of arrays.

    mlir-opt has the user time if threads have measured.
    """
    flags = (f"--pass-pipeline={NESTED}", TIMING, AS_JSON)
    ours, theirs = (
        re.sub(r' *\{.*"\(A\) \w+", "passes": \[\n *\{\}\]\},\n', "", report)
        for report in (
            tool(*flags, stdin=SOURCE).err,
            mlir_opt(*flags, source=SOURCE, threads=True).err,
        )
    )
    assert '"user"' in theirs
    assert re.sub(r" *[\d.]+", "0", ours) == re.sub(r" *[\d.]+", "0", theirs)


@pytest.mark.parametrize("name", ["symbol-dce", "mem2reg"])
def test_values_agree(name: str, mlir_opt: MlirOpt, tool: Tool) -> None:
    """Where MLIR counts truly, the numbers are the same."""
    flags = (f"--pass-pipeline=builtin.module({name})", STATISTICS)
    theirs, ours = mlir_opt(*flags, source=SOURCE).err, tool(*flags, stdin=SOURCE).err
    assert "(S) 1" in ours
    assert ours == theirs


def test_cse_counts_each_operation_once(mlir_opt: MlirOpt, tool: Tool) -> None:
    """The value is wanted to be another one than MLIR's, nested or not."""
    for pipeline, count in ("builtin.module(cse)", 2), ("builtin.module(func.func(cse))", 0):
        flags = (f"--pass-pipeline={pipeline}", STATISTICS)
        assert f"(S) {count} num-cse'd" in mlir_opt(*flags, source=SOURCE).err
        assert "(S) 1 num-cse'd" in tool(*flags, stdin=SOURCE).err
