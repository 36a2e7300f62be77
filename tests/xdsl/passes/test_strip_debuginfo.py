"""`strip-debuginfo`: every location goes, and nothing else."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
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

KINDS = {
    "builtin.module": 'builtin.module { "test.op"() : () -> () loc("kept.py":1:2) }',
    "func.func": "func.func @f(%x: i32) { func.return loc(fused[unknown]) }",
    "llvm.func": 'llvm.func @f(%x: i32) { llvm.return loc(callsite("a" at "b.py":1:1)) }',
    "gpu.module": '"gpu.module"() <{sym_name = "m"}> ({ "test.op"() : () -> () }) : () -> ()',
    "gpu.func": """
"gpu.func"() <{function_type = (i32) -> ()}> ({
^bb0(%x: i32): "gpu.return"() : () -> ()
}) {sym_name = "f"} : () -> ()""",
}


def with_locations(op: Operation) -> str:
    """Return the op with its locations, as text."""
    stream = StringIO()
    Printer(stream=stream, print_generic_format=True, print_debuginfo=True).print_op(op)
    return stream.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_isolated_ops(
    kind: str,
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
    text_of: Callable[[Operation], str],
) -> None:
    """Ops, block arguments and the anchor itself lose their locations and nothing else."""
    op = parse_op(KINDS[kind])
    text = text_of(op)
    assert op.name == kind
    run(op, StripDebugInfo())
    locations = [inner.location for inner in op.walk()]
    locations += [
        a.location for i in op.walk() for r in i.regions for b in r.blocks for a in b.args
    ]
    assert all(isinstance(location, UnknownLoc) for location in locations)
    assert text_of(op) == text


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
    source = f"builtin.module {{ {KINDS['func.func']} {KINDS['gpu.module']} }}"
    flags = ("--mlir-print-debuginfo", "--mlir-print-local-scope", "--mlir-print-op-generic")
    theirs = mlir_opt(UNREGISTERED, "--strip-debuginfo", *flags, source=source)
    assert theirs.code == 0, theirs.err
    op = parse_op(source)
    PassManager("builtin.module", context, adapter=XDSLAdapter()).add(StripDebugInfo()).run(op)
    assert mlir_opt(UNREGISTERED, *flags, source=with_locations(op)).out == theirs.out
