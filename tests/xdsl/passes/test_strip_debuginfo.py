"""`strip-debuginfo`: every location goes, and nothing else."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from tool_fixtures import UNREGISTERED
from xdsl.dialects.builtin import UnknownLoc
from xdsl.printer import Printer

from passel import PassManager
from passel.xdsl import XDSLAdapter
from passel.xdsl.passes.strip_debuginfo import StripDebugInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt
    from xdsl.context import Context
    from xdsl.ir import Operation


def with_locations(op: Operation) -> str:
    """Return the op with its locations, as text."""
    stream = StringIO()
    Printer(stream=stream, print_generic_format=True, print_debuginfo=True).print_op(op)
    return stream.getvalue()


def test_siblings_keep_theirs(
    parse_op: Callable[[str], Operation], run: Callable[..., object]
) -> None:
    """A nested run strips the ops of its anchor only."""
    op = parse_op("builtin.module { func.func @f() { func.return } builtin.module { } }")
    run(op, "builtin.module(func.func(strip-debuginfo))")
    known = [not isinstance(inner.location, UnknownLoc) for inner in op.walk()]
    assert known == [True, False, False, True]


def test_same_as_mlir(
    context: Context,
    parse_op: Callable[[str], Operation],
    mlir_opt: MlirOpt,
) -> None:
    """With locations printed, mlir-opt's result and ours are the same text to mlir-opt."""
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
    PassManager("builtin.module", context, adapter=XDSLAdapter()).add(StripDebugInfo()).run(op)
    assert mlir_opt(UNREGISTERED, *flags, source=with_locations(op)).out == theirs.out
