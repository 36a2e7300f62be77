"""Commands that run a pass again on the IR that a record has before it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passel.record import Record

if TYPE_CHECKING:
    from tool_fixtures import Tool

FUNCTIONS = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.muli %a, %b : i32
  return %c : i32
}
func.func private @unused(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  return %x : i32
}
func.func @g(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.muli %a, %b : i32
  return %c : i32
}
"""
PIPELINE = "builtin.module(func.func(cse,canonicalize),symbol-dce,func.func(cse))"


def generic(tool: Tool, ir: str, *words: str) -> str:
    """Return what passel-opt prints in generic form."""
    printed = tool(f"--ir={ir}", "--mlir-print-op-generic", "--mlir-print-local-scope", *words)
    assert printed.code == 0, printed.err
    return printed.out


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_each_pass_does_from_the_record_what_it_did(tool: Tool, ir: str, jobs: str) -> None:
    """An execution that is replayed from the record leaves the IR that the record has after it."""
    Path("f.mlir").write_text(FUNCTIONS)
    tool("f.mlir", f"--ir={ir}", jobs, "-p", PIPELINE, "--record=r")
    record = Record.open("r")
    Path("f.mlir").unlink()
    assert len(record.executions) == 9
    for each in record.executions:
        words = shlex.split(record.replay(each))
        assert words[0] == "passel-opt"
        Path("after.mlir").write_text(record.state_after(each) or "")
        assert generic(tool, ir, *words[1:]) == generic(tool, ir, "after.mlir")


def test_ops_that_their_names_do_not_tell_apart_are_replayed_together(tool: Tool) -> None:
    """Where several ops have a name, or none, the pass runs on all of them."""
    inner = "module { func.func @f() { return } }"
    Path("f.mlir").write_text(f"{inner}\n{inner}")
    tool("f.mlir", "-p", "builtin.module(builtin.module(func.func(cse)))", "--record=r")
    record = Record.open("r")
    path = "builtin.module/builtin.module/func.func/0:cse"
    assert [each.path for each in record.executions] == [path, path]
    assert {record.replay(each) for each in record.executions} == {
        f"passel-opt --run-reproducer --stop-after={path} r"
    }


def test_what_passel_opt_cannot_run_has_no_command(tool: Tool) -> None:
    """Only the first part of a split input has a command."""
    Path("f.mlir").write_text(f"{FUNCTIONS}// -----\n{FUNCTIONS}")
    tool("f.mlir", "-split-input-file", "-p", "builtin.module(cse)", "--record=r")
    assert [bool(Record.open("r").replay(e)) for e in Record.open("r").executions] == [True, False]
