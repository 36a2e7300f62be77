"""`strip-debuginfo` erases every location, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tool_fixtures import UNREGISTERED

from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter
from passel.xdsl.passes.strip_debuginfo import StripDebugInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt
    from xdsl.ir import Operation


def test_same_as_mlir(
    parse_op: Callable[[str], Operation], run: Callable[..., object], mlir_opt: MlirOpt
) -> None:
    """The locations of all ops and arguments are erased, as mlir-opt erases them."""
    source = """
builtin.module {
  "test.op"() : () -> () loc("kept.py":1:2)
  func.func @f(%x: i32) { func.return loc(fused[unknown]) }
  llvm.func @g(%x: i32) { llvm.return loc(callsite("a" at "b.py":1:1)) }
}"""
    flags = ("--mlir-print-debuginfo", "--mlir-print-local-scope", "--mlir-print-op-generic")
    theirs = mlir_opt(UNREGISTERED, "--strip-debuginfo", *flags, source=source)
    assert theirs.code == 0, theirs.err
    op = parse_op(source)
    run(op, StripDebugInfo())
    ours = XDSLAdapter().print_op(op, PrintFlags(generic=True, debuginfo=True))
    assert mlir_opt(UNREGISTERED, *flags, source=ours).out == theirs.out
