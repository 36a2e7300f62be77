"""Lineage: which pass made an op, and from where, as records tell."""

from __future__ import annotations

import warnings
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import STEP
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl_inputs import sampled, xdsl_context, xdsl_corpus

from passel import OperationPass, PassContext, PassInstrumentation, PassManager
from passel.ir import PrintFlags
from passel.record.lineage import BlamedLine, Lineage, Origin, in_custom_form
from passel.record.op_texts import ops_in
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from pathlib import Path

    from passel.hooks import Run
    from passel.record import Record
    from passel.schedule import Step

LINALG = """
func.func @mm(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
  %z = arith.constant 0 : index
  %n = arith.constant 4 : index
  %o = arith.constant 1 : index
  scf.for %i = %z to %n step %o {
    %v = memref.load %c[%i, %z] : memref<4x4xf32>
    %w = arith.addf %v, %v : f32
    %x = arith.addf %v, %v : f32
    %u = arith.mulf %w, %x : f32
    memref.store %u, %c[%z, %i] : memref<4x4xf32>
  }
  return
}
"""
CALLS = """
func.func private @callee(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func @caller(%x: i32) -> i32 {
  %0 = func.call @callee(%x) : (i32) -> i32
  %1 = func.call @callee(%0) : (i32) -> i32
  return %1 : i32
}
"""


def _recorded(
    path: Path,
    source: str,
    passes: str | OperationPass[ModuleOp],
    *observers: PassInstrumentation,
) -> Record:
    context = xdsl_context()
    manager = PassManager("builtin.module", context).add(passes)
    for each in observers:
        manager.add_instrumentation(each)
    manager.enable_recording(path)
    record = manager.run(parse_source(context, source, "in.mlir")).record
    assert record is not None
    return record


def _made(record: Record, lines: list[BlamedLine]) -> list[tuple[str, str, str]]:
    """Return op, pass and place of each op; guesses have a question mark."""
    found: list[tuple[str, str, str]] = []
    for each in _ops(lines):
        assert each.origin is not None
        number, place, is_guess = each.origin
        maker = "input" if number is None else record.executions[number].pass_name
        name = each.text.partition('"')[2].partition('"')[0]
        found.append((name, maker, f"{place}{'?' * is_guess}"))
    return found


def _in_the_end(record: Record, symbol: str = "") -> list[BlamedLine]:
    return Lineage(record, record.info.runs[0]).in_the_end(symbol)


def _ops(lines: list[BlamedLine]) -> list[BlamedLine]:
    """Return the lines in which ops begin."""
    return [
        each
        for each in lines
        if each.origin is not None and not (each.is_end and each.text.lstrip().startswith("})"))
    ]


def test_what_is_kept_is_of_the_input(tmp_path: Path) -> None:
    """CSE keeps the first of equal ops, which is that of the input still."""
    source = """func.func @f(%x: i32) -> (i32, i32) {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  return %a, %b : i32, i32
}"""
    record = _recorded(tmp_path / "r", source, "func.func(cse)")
    lines = _in_the_end(record, "f")
    assert _made(record, lines) == [
        ("func.func", "input", "in.mlir:1:1"),
        ("arith.addi", "input", "in.mlir:2:8"),
        ("func.return", "input", "in.mlir:4:3"),
    ]


def test_locations_of_calls_in_calls_are_read(tmp_path: Path) -> None:
    """A function that was inlined through another one is from its own line, with both calls."""
    outer = """func.func @outer(%x: i32) -> i32 {
  %0 = func.call @caller(%x) : (i32) -> i32
  return %0 : i32
}
"""
    record = _recorded(
        tmp_path / "r", CALLS.replace("@caller", "private @caller") + outer, "inline"
    )
    lines = _in_the_end(record, "outer")
    made = [each for each in _made(record, lines) if each[0] == "arith.addi"]
    assert [place for _, _, place in made] == ["in.mlir:3:8"] * 2
    assert not any("loc(" in each.text for each in lines)


def test_what_is_lowered_comes_from_what_was_there(tmp_path: Path) -> None:
    """What a pass makes of an op is of that pass, from the line of that op."""
    record = _recorded(tmp_path / "r", LINALG, "func.func(convert-linalg-to-loops)")
    made = _made(record, _in_the_end(record, "mm"))
    assert ("memref.load", "convert-linalg-to-loops", "in.mlir:3:3") in made
    assert ("scf.for", "convert-linalg-to-loops", "in.mlir:3:3") in made
    assert ("scf.for", "input", "in.mlir:7:3") in made
    assert ("memref.load", "input", "in.mlir:8:10") in made


def test_what_is_inlined_is_of_the_pass(tmp_path: Path) -> None:
    """A copy of an op is made by the pass that copies it; the last one is the op itself, moved."""
    record = _recorded(tmp_path / "r", CALLS, "inline,symbol-dce")
    made = _made(record, _in_the_end(record, "caller"))
    copies = [each for each in made if each[0] == "arith.addi"]
    assert copies == [
        ("arith.addi", "inline", "in.mlir:3:8"),
        ("arith.addi", "input", "in.mlir:3:8"),
    ]


def test_what_is_moved_is_of_the_input(tmp_path: Path) -> None:
    """An op that a pass moves within a function stays that of the input."""
    source = LINALG.replace("%v, %v", "%k, %v", 1).replace(
        "%v = memref", "%k = arith.constant 2.0 : f32\n    %v = memref"
    )
    record = _recorded(tmp_path / "r", source, "func.func(loop-invariant-code-motion)")
    made = _made(record, _in_the_end(record, "mm"))
    assert ("arith.constant", "input", "in.mlir:8:10") in made


def test_each_state_has_its_lineage(tmp_path: Path) -> None:
    """After an earlier execution, only what passes have made until then is new."""
    record = _recorded(
        tmp_path / "r", LINALG, "func.func(convert-linalg-to-loops),convert-scf-to-cf"
    )
    lineage = Lineage(record, record.info.runs[0])
    first, last = record.executions
    before = _made(record, lineage.after(first))
    assert {maker for _, maker, _ in before} == {"input", "convert-linalg-to-loops"}
    assert ("cf.br", "convert-scf-to-cf", "in.mlir:3:3") in _made(record, lineage.after(last))
    assert lineage.after(last) == _in_the_end(record)
    assert _in_the_end(record, "none") == []


def test_ops_are_followed_where_functions_have_no_texts_of_their_own(tmp_path: Path) -> None:
    """A module with more than functions is one text; passes on functions are followed in it."""
    source = f"%top = arith.constant 1 : i32{LINALG}"
    record = _recorded(tmp_path / "r", source, "func.func(canonicalize,convert-linalg-to-loops)")
    lowering = record.executions[-1]
    lowered = _made(record, Lineage(record, record.info.runs[0]).after(lowering))
    assert ("scf.for", "convert-linalg-to-loops", "in.mlir:3:3") in lowered
    made = _made(record, _in_the_end(record))
    assert made[2:] == lowered
    assert made[1] == ("arith.constant", "input", "in.mlir:1:8")


class Within(OperationPass[ModuleOp]):
    """Run a pass on the functions of a module."""

    name = "within"

    def run(self, op: ModuleOp, ctx: PassContext) -> None:
        """Do it, on each by itself."""
        pipeline = PassManager.parse("func.func(convert-linalg-to-loops)", ctx.ir_context)
        for each in op.body.ops:
            ctx.run_pipeline(pipeline, each)


def test_what_passes_make_that_others_run_is_theirs(tmp_path: Path) -> None:
    """An op is of the pass that has made it, then and in the end, whichever pass has run that."""
    record = _recorded(tmp_path / "r", LINALG, Within())
    inner = next(each for each in record.executions if each.status == "changed")
    then = Lineage(record, record.info.runs[0]).after(inner)
    for lineage in (then, _in_the_end(record)):
        assert ("scf.for", "convert-linalg-to-loops", "in.mlir:3:3") in _made(record, lineage)


class ReadAnew(OperationPass[ModuleOp]):
    """Print and parse a module, as passes of other tools do."""

    name = "read-anew"

    def run(self, op: ModuleOp, ctx: PassContext) -> None:
        """Replace what is inside by a copy, which has one more op."""
        flags = PrintFlags(generic=True, debuginfo=True)
        copy = parse_source(ctx.ir_context, XDSLAdapter().print_op(op, flags), "copy.mlir")
        assert isinstance(copy, ModuleOp)
        copy.body.block.add_op(FuncOp.external("new", (), ()))
        op.detach_region(0)
        op.add_region(copy.detach_region(0))


def test_what_passes_read_anew_is_found_by_its_text(tmp_path: Path) -> None:
    """Of ops that a pass has printed and parsed, those that look as before are the same."""
    record = _recorded(tmp_path / "r", LINALG, ReadAnew())
    (change,) = record.changes
    assert change.trace is None
    made = _made(record, _in_the_end(record))
    assert ("memref.load", "input", "in.mlir:8:10") in made
    assert [each[:2] for each in made if each[1] != "input"] == [("func.func", "read-anew")]


def test_the_custom_form_has_the_same_origins(tmp_path: Path) -> None:
    """Each line of the custom form in which an op begins or ends has the origin of the op."""
    record = _recorded(tmp_path / "r", LINALG, "func.func(convert-linalg-to-loops)")
    lines = in_custom_form(_in_the_end(record), "xdsl")
    by_text = {each.text.strip(): each.origin for each in lines}
    assert by_text["func.return"] == Origin(None, "in.mlir:14:3")
    assert by_text["scf.for %i = %z to %n step %o {"] == Origin(None, "in.mlir:7:3")
    assert by_text["builtin.module {"] == by_text["}"]


class _Makers(PassInstrumentation):
    """The pass that made each op, by the object that the op is."""

    def __init__(self) -> None:
        self.made: dict[Any, str] = {}

    def before_run(self, run: Run) -> None:
        """Take note of the ops of the input."""
        self.top = run.op
        self._note("")

    def after_pass(self, step: Step, op: Any) -> None:
        """Take note of the new ops."""
        if step.pass_ is not None:
            self._note(step.path)

    def _note(self, maker: str) -> None:
        for each in self.top.walk():
            self.made.setdefault(each, maker)


_PIPELINES = (
    "canonicalize,cse,convert-linalg-to-loops,lower-affine,convert-scf-to-cf,canonicalize,cse,dce",
    (
        "convert-linalg-to-loops,convert-scf-to-cf,convert-arith-to-riscv,"
        "convert-func-to-riscv-func,convert-memref-to-riscv,canonicalize"
    ),
    "inline,canonicalize,cse,symbol-dce,convert-scf-to-cf",
)


@sampled(24)
def test_ops_of_the_corpus_have_their_passes(tmp_path: Path, step: int) -> None:
    """At least 95 % of the ops in the end are of the right pass, also of those that passes made."""
    counts: Counter[tuple[bool, bool]] = Counter()
    sources = [LINALG, CALLS, *(text for _, text in xdsl_corpus()[:: max(step, min(STEP, 3))])]
    for source in sources:
        for pipeline in _PIPELINES:
            makers, record = _Makers(), None
            with warnings.catch_warnings(), suppress(Exception):  # not all of the corpus is valid
                warnings.simplefilter("ignore")
                record = _recorded(tmp_path / "r", source, pipeline, makers)
            if record is None:
                continue
            lines = _ops(_in_the_end(record))
            for op, line in zip(makers.top.walk(), lines, strict=True):
                assert line.origin is not None
                number, maker = line.origin.execution, makers.made[op]
                found = "" if number is None else record.executions[number].path
                counts[bool(maker), found == maker] += 1
    made = counts[True, True] / (counts[True, True] + counts[True, False])
    right = counts[True, True] + counts[False, True]
    assert counts[True, True] > 100
    assert made > 0.95
    assert right / counts.total() > 0.95


def test_ops_of_mlir_have_their_passes(tmp_path: Path) -> None:
    """At least 80 % of MLIR's ops in the end are of the last pass whose diff adds such an op."""
    mlir = pytest.importorskip("passel.mlir")
    adapter = mlir.MLIRAdapter()
    right = count = 0
    for pipeline in (
        (
            "convert-linalg-to-loops,canonicalize,cse,convert-scf-to-cf,convert-arith-to-llvm,"
            "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
            "reconcile-unrealized-casts,canonicalize,cse"
        ),
        "inline,canonicalize,cse,symbol-dce",
    ):
        context = adapter.create_context()
        manager = PassManager.parse(f"builtin.module({pipeline})", context)
        manager.enable_recording(tmp_path / "r", one_by_one=True)
        module = adapter.bindings.ir.Module.parse(LINALG + CALLS, context)
        record = manager.run(module).record
        assert record is not None
        (run,) = record.info.runs
        assert run.before is not None
        assert run.after is not None

        def ops(text: str) -> Counter[tuple[str, str, str]]:
            return Counter((op.name, op.shape, op.types) for op in ops_in(text))

        makers: dict[tuple[str, str, str], int] = {}
        before = ops(record.text(run.before))
        for each in record.executions:
            after = ops(record.state_after(each) or "")
            makers.update(dict.fromkeys(after - before, each.number))
            before = after
        found = ops_in(record.text(run.after))
        for op, line in zip(found, _ops(_in_the_end(record)), strict=True):
            assert line.origin is not None
            right += makers.get((op.name, op.shape, op.types)) == line.origin.execution
            count += 1
    assert count > 60
    assert right / count > 0.8
