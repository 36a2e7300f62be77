"""Records of MLIR's ops: of passes in one call, and one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel.record import Recorder

pytest.importorskip("mlir", reason="MLIR's bindings are not installed")

from passel import PassManager
from passel.ir import PrintFlags
from passel.mlir import MLIRAdapter

if TYPE_CHECKING:
    from pathlib import Path

_SOURCE = """
func.func @f(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}
func.func private @g()
module { func.func @h(%x: i32) { %0 = arith.addi %x, %x : i32 return } }
"""


def _recorded(path: Path, pipeline: str, source: str = _SOURCE) -> tuple[Any, str, str]:
    """Run, and return the record with the module before and after."""
    adapter = MLIRAdapter()
    context = adapter.create_context()
    module = adapter.bindings.ir.Module.parse(source, context)
    manager = PassManager.parse(f"builtin.module({pipeline})", context)
    manager.add_instrumentation(Recorder(path))
    flags = PrintFlags(debuginfo=True, local_scope=True)
    before = adapter.print_op(module, flags)
    record = manager.run(module).record
    assert record is not None
    return record, before, adapter.print_op(module, flags)


def _read(text: str) -> str:
    """Return a text of a record as MLIR prints it."""
    adapter = MLIRAdapter()
    module = adapter.bindings.ir.Module.parse(text, adapter.create_context())
    return adapter.print_op(module, PrintFlags(debuginfo=True, local_scope=True))


def test_each_pass_is_recorded(tmp_path: Path) -> None:
    """Each pass has its executions, and each state is that of the IR."""
    pipeline = "func.func(cse,canonicalize),builtin.module(func.func(cse)),symbol-dce"
    record, before, after = _recorded(tmp_path / "r", pipeline)
    found = [(each.path.rpartition("/")[2], each.symbol, each.status) for each in record.executions]
    assert found == [
        ("0:cse", "f", "changed"),
        ("1:canonicalize", "f", "unchanged"),
        ("0:cse", "g", "unchanged"),
        ("1:canonicalize", "g", "unchanged"),
        ("0:cse", "h", "changed"),
        ("0:symbol-dce", None, "changed"),
    ]
    assert _read(record.state_before(record.executions[0])) == before
    assert _read(record.state_after(record.executions[-1])) == after


def test_functions_with_calls_are_readable(tmp_path: Path) -> None:
    """All states of a function are printed in custom form, including calls of other functions."""
    source = """
func.func @caller(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.subi %1, %1 : i32
  %3 = func.call @callee(%0, %2) : (i32, i32) -> i32
  return %3 : i32
}
func.func private @callee(i32, i32) -> i32
"""
    record, _, _ = _recorded(tmp_path / "r", "func.func(cse,canonicalize)", source)
    digests = dict.fromkeys(d for each in record.executions for d in (each.before, each.after))
    texts = record.all_readable([*digests])
    assert len([each for each in texts if " call @callee(" in each]) == 3
    assert not [each for each in texts if '"func.' in each]
