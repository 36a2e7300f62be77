"""Cases to reduce: passes with planted bugs, inputs that show them, and real crashes of MLIR.

For each there is what a person would report: the smallest input. `grown` puts that among other
code. The benchmark `bench_reduction.py` reduces all of them; tests take some.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from passel import Pass, PassFailure, PassManager
from passel.frontend import frontend_of
from passel.frontend.generic_form import Op, Value, parse_generic
from passel.ir import PrintFlags, adapter_named
from passel.manager.reproducing import registry_with
from passel.search import Answer, Case, Oracle, Subject, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Asked(Oracle):
    """The oracle that is a function: given the IR as text, it returns whether it is interesting."""

    def __init__(self, function: Callable[[str], bool]) -> None:
        self._function = function

    def __call__(self, case: Case, scratch: object) -> Answer:
        """Call the function."""
        return Answer(Verdict.INTERESTING if self._function(case.ir) else Verdict.DULL)


def _raise(kind: type[Exception]) -> Callable[[Op], None]:
    def act(op: Op) -> None:
        raise kind(f"cannot handle %{op.number} of '{op.name}'")

    return act


def _give_up(op: Op) -> None:
    raise PassFailure(f"no rule for %{op.number}")


def _exit(_: Op) -> None:
    sys.exit(3)


def _abort(_: Op) -> None:
    os.abort()


def _crash(_: Op) -> None:
    ctypes.string_at(0)


def _named(name: str) -> Callable[[Op], Iterator[Op]]:
    return lambda root: (op for op in root.walk() if op.name == name)


def _producer(root: Op, value: Value) -> str:
    return next((op.name for op in root.walk() if value in op.results), "")


def _big_constants(root: Op) -> Iterator[Op]:
    for op in root.walk():
        value = op.entry("value") or ""
        if op.name == "arith.constant" and value.endswith(": i32") and int(value.split()[0]) > 100:
            yield op


def _squares(root: Op) -> Iterator[Op]:
    return (op for op in root.walk() if op.name == "arith.muli" and len({*op.operands}) == 1)


def _nested(root: Op) -> Iterator[Op]:
    for op in root.walk():
        if op.name == "scf.for":
            yield from (inner for inner in op.walk() if inner.name == "scf.if")


def _long_calls(root: Op) -> Iterator[Op]:
    return (op for op in root.walk() if op.name == "func.call" and len(op.operands) > 2)


def _compared(root: Op) -> Iterator[Op]:
    for op in root.walk():
        if op.name == "cf.cond_br" and _producer(root, op.operands[0]) == "arith.cmpi":
            yield op


def _stored(root: Op) -> Iterator[Op]:
    stored = {op.operands[1] for op in root.walk() if op.name == "memref.store"}
    return (op for op in root.walk() if op.name == "memref.load" and op.operands[0] in stored)


def _carried(root: Op) -> Iterator[Op]:
    return (op for op in root.walk() if op.name == "scf.for" and op.results)


def _deep(root: Op) -> Iterator[Op]:
    depths: dict[Value, int] = {}
    for op in root.walk():
        depth = 1 + max((depths.get(value, 0) for value in op.operands), default=0)
        depths.update(dict.fromkeys(op.results, depth))
        if depth > 3 and op.name == "arith.addi":
            yield op


def _joined(root: Op) -> Iterator[Op]:
    for op in root.walk():
        for region in op.regions:
            targets = [each for block in region for last in block.ops for each in last.successors]
            if len(targets) > len({*targets}):
                yield op


class Bug(NamedTuple):
    """A planted bug.

    Attributes:
        name: Its name.
        find: Yields the ops that show it.
        act: What the pass does then.
        report: What a person would report.
    """

    name: str
    find: Callable[[Op], Iterator[Op]]
    act: Callable[[Op], None]
    report: str


BUGS = (
    Bug("constant", _big_constants, _raise(OverflowError), """
func.func @f() {
  %0 = arith.constant 101 : i32
  return
}"""),
    Bug("square", _squares, _raise(AssertionError), """
func.func @f(%x: i32) {
  %0 = arith.muli %x, %x : i32
  return
}"""),
    Bug("nested", _nested, _raise(KeyError), """
func.func @f(%i: index, %c: i1) {
  scf.for %j = %i to %i step %i {
    scf.if %c {
    }
  }
  return
}"""),
    Bug("call", _long_calls, _raise(IndexError), """
func.func private @g(i32, i32, i32)
func.func @f(%x: i32) {
  call @g(%x, %x, %x) : (i32, i32, i32) -> ()
  return
}"""),
    Bug("compared", _compared, _give_up, """
func.func @f(%x: i32) {
  %0 = arith.cmpi eq, %x, %x : i32
  cf.cond_br %0, ^bb1, ^bb1
^bb1:
  return
}"""),
    Bug("stored", _stored, _raise(RuntimeError), """
func.func @f(%m: memref<f32>, %x: f32) {
  memref.store %x, %m[] : memref<f32>
  %0 = memref.load %m[] : memref<f32>
  return
}"""),
    Bug("carried", _carried, _exit, """
func.func @f(%i: index) {
  %0 = scf.for %j = %i to %i step %i iter_args(%a = %i) -> (index) {
    scf.yield %a : index
  }
  return
}"""),
    Bug("deep", _deep, _raise(RecursionError), """
func.func @f(%x: i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %0, %x : i32
  %2 = arith.addi %1, %x : i32
  %3 = arith.addi %2, %x : i32
  return
}"""),
    Bug("joined", _joined, _crash, """
func.func @f(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  return
}"""),
    Bug("select", _named("arith.select"), _abort, """
func.func @f(%c: i1, %x: i32) {
  %0 = arith.select %c, %x, %x : i32
  return
}"""),
    Bug("division", _named("arith.divsi"), _raise(ZeroDivisionError), """
func.func @f(%x: i32) {
  %0 = arith.divsi %x, %x : i32
  return
}"""),
    Bug("allocation", _named("memref.alloc"), _give_up, """
func.func @f() {
  %0 = memref.alloc() : memref<f32>
  return
}"""),
    Bug("extension", _named("arith.extsi"), _raise(TypeError), """
func.func @f(%x: i32) {
  %0 = arith.extsi %x : i32 to i64
  return
}"""),
)  # fmt: skip
"""The planted bugs, each on both IRs."""


class Buggy(Pass[Any]):
    """Has a bug."""

    name = "buggy"
    bug: str = ""
    other: int = 0

    def run(self, op: Any, ctx: Any) -> None:
        """Look for what shows it."""
        is_mlir = hasattr(op, "get_asm")
        text = op.get_asm(print_generic_op_form=True) if is_mlir else _generic(op)
        (bug,) = (each for each in BUGS if each.name == self.bug)
        for found in bug.find(parse_generic(text)):
            bug.act(found)


def _generic(op: Any) -> str:
    return adapter_named("xdsl").print_op(op, PrintFlags(generic=True))


def subject_of(ir: str, *passes: type[Pass[Any]]) -> Subject:
    """Return how cases of an IR are read and run, with passes that no package registers."""
    adapter = adapter_named(ir)
    registry = registry_with((*passes, Buggy))
    return Subject(
        frontend_of(adapter, implicit_module=True),
        lambda text, context: PassManager.parse(text, context, registry=registry, adapter=adapter),
    )


class Input(NamedTuple):
    """A case.

    Attributes:
        name: Its name.
        ir: The name of the IR.
        report: What a person would report.
        pipeline: The pipeline with the pass that fails, among others.
    """

    name: str
    ir: str
    report: str
    pipeline: str


_REAL = {
    "convert-async-to-llvm": ("", """
func.func @f() {
  %0 = async.runtime.create : !async.value<tensor<f32>>
  return
}"""),
    "ownership-based-buffer-deallocation": ("func.func", """
func.func @f(%x: f32, %i: index) -> f32 {
  cf.br ^bb1
^bb1:
  %0 = scf.for %j = %i to %i step %i iter_args(%a = %x) -> (f32) {
    scf.yield %a : f32
  }
  cf.br ^bb2
^bb2:
  return %0 : f32
}"""),
    "tosa-narrow-i64-to-i32": ("func.func", """
func.func private @g() -> !shape.witness
func.func @f(%c: tensor<i1>, %x: tensor<i64>) {
  %0 = tosa.cond_if %c (%a = %x) : tensor<i1> (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    tosa.yield %a : tensor<i64>
  } else {
  ^bb0(%a: tensor<i64>):
    tosa.yield %a : tensor<i64>
  }
  %1 = call @g() : () -> !shape.witness
  return
}"""),
    "tosa-validate": ("", """
tosa.variable @m : tensor<f64>
"""),
}  # fmt: skip
"""Crashes of MLIR 22, of kinds that its issue tracker has, with the anchors of the passes."""


def inputs() -> Iterator[Input]:
    """Yield all cases."""
    for ir in ("xdsl", "mlir"):
        for bug in BUGS:
            inner = f"func.func(buggy{{bug={bug.name} other=1}})"
            yield Input(bug.name, ir, bug.report, f"builtin.module({inner},symbol-dce)")
    for name, (anchor, report) in _REAL.items():
        inner = f"{anchor}({name})" if anchor else name
        yield Input(name, "mlir", report, f"builtin.module({inner},symbol-dce)")


_CHAIN = """
    %c{n} = arith.constant {n} : i32
    %a{n} = arith.addi %c{n}, %c{n} {{note = "n{n}"}} : i32
    %k{n} = arith.constant true
    %b{n} = scf.if %k{n} -> (i32) {{
      %y{n} = arith.subi %a{n}, %c{n} : i32
      scf.yield %y{n} : i32
    }} else {{
      scf.yield %c{n} : i32
    }}
    func.call @noise_{n}(%b{n}) : (i32) -> ()"""

_FUNCTION = """
  func.func @noise_{n}(%x: i32) attributes {{number = {n} : i32}} {{
    %t = arith.sitofp %x : i32 to f32
    %0 = arith.subi %x, %x : i32
    %1 = arith.ori %0, %x : i32
    %2 = arith.cmpi slt, %1, %x : i32
    scf.if %2 {{
      %3 = arith.xori %1, %0 : i32
      %4 = arith.extui %3 : i32 to i64
    }}
    return
  }}"""


def grown(report: str, size: int = 8) -> str:
    """Return an input with the code of a report among other code, also in its function."""
    functions = "".join(_FUNCTION.format(n=n) for n in range(1, size + 1))
    chains = "".join(_CHAIN.format(n=n) for n in range(1, size + 1))
    lines = report.strip("\n").split("\n")
    heads = [i for i, line in enumerate(lines) if line.startswith("func.func @")]
    for head in heads[-1:]:
        lines[head] += chains
    return "module {" + functions + "\n  " + "\n  ".join(lines) + "\n}\n"
