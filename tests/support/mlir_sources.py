"""Sources for MLIR, and what is compared of them."""

from __future__ import annotations

from typing import Any

from mlir.ir import Context

from passel.ir import PrintFlags
from passel.mlir import MLIRAdapter, parse_source

EXACT = PrintFlags(generic=True, debuginfo=True)


def function(name: str, body: str = "") -> str:
    """Return a function, with something in it that can be simplified."""
    return f"""func.func @{name}(%a: i32) -> i32 attributes {{test.old = 1 : i8}} {{
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32 loc("elsewhere":7:8)
  {body}
  %2 = arith.addi %1, %0 : i32 loc(fused<"x">["p", "q":1:2])
  return %2 : i32
}}
"""


def functions(count: int, body: str = "") -> str:
    """Return some functions, whose names end with their numbers."""
    return "".join(function(f"f{number}", body) for number in range(count))


def context_of_all() -> Context:
    """Return a context in which unregistered ops are allowed."""
    context = Context()
    context.allow_unregistered_dialects = True
    return context


def parsed(source: str, context: Context | None = None) -> Any:
    """Return the module of a source."""
    return parse_source(context or context_of_all(), source, "t.mlir")


def text_of(op: Any) -> str:
    """Return the op with all that there is to it."""
    return MLIRAdapter().print_op(op, EXACT)


LLVM = "llvm.mlir.global internal constant @glob(1 : i32) : i32\n" + "".join(
    f"""llvm.func internal @g{number}(%a: i32) -> i32 {{
  %0 = llvm.call @g{(number + 1) % 5}(%a) : (i32) -> i32
  %1 = llvm.mlir.addressof @glob : !llvm.ptr
  llvm.return %0 : i32
}}
"""
    for number in range(5)
)
CALLS = "".join(
    function(f"f{number}", f"%c = func.call @f{(number + 5) % 9}(%1) : (i32) -> i32")
    for number in range(9)
)
