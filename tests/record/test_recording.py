"""Runs that are recorded, and what their records say."""

from __future__ import annotations

import re
import time
from errno import ENOSPC
from io import FileIO
from typing import TYPE_CHECKING, Any

import pytest
from toy_steps import pipeline, step

from passel import (
    OperationPass,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    Statistic,
)
from passel.ir import PrintFlags
from passel.mlir import MLIRAdapter
from passel.record import Record, Recorder, RecordError
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from pathlib import Path


class Grow(OperationPass[Any]):
    """Add to the value of an op, up to a limit."""

    name = "grow"
    anchor = "toy.func"
    to: int = 5
    grown = Statistic("Ops grown")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Add 1."""
        if op.value < self.to:
            op.value += 1
            ctx.count(self.grown)
            ctx.emit_remark("grown", op)


def refuse(op: ToyOp, ctx: PassContext) -> None:
    """Refuse one function."""
    if op.symbol == "g":
        raise PassFailure("not this one")


def recorded(path: Path, ir: str, *passes: Pass[Any, Any], **how: Any) -> Record:
    """Run passes on the functions of a module, and return the record."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", *passes)
    manager.add_instrumentation(Recorder(path))
    try:
        record = manager.run(parse_toy(ir), **how).record
    except PassFailedError as error:
        record = error.record
    assert record is not None
    return record


def outline(executions: Any) -> list[tuple[str, str | None, str]]:
    """Return path, symbol and status of executions."""
    return [(each.path, each.symbol, each.status) for each in executions]


def test_each_execution_is_in_the_record(tmp_path: Path) -> None:
    """There is an execution for each pass and op in program order, with its result."""
    ir, passes = "toy.module @m(toy.func @f 4,toy.func @g 9)", (Grow(), step(refuse, "refuse"))
    record = recorded(tmp_path / "r", ir, *passes)
    assert outline(record.executions) == [
        ("toy.module/toy.func/0:grow", "f", "changed"),
        ("toy.module/toy.func/1:refuse", "f", "unchanged"),
        ("toy.module/toy.func/0:grow", "g", "unchanged"),
        ("toy.module/toy.func/1:refuse", "g", "failed"),
    ]
    first, *_, last = record.executions
    assert first.ordinals == (0, 0)
    assert first.counts == {"grown": 1}
    assert [str(each) for each in first.diagnostics] == ["<unknown>:0: remark: grown"]
    assert record.text(first.before or "") == "toy.func @f 4"
    assert record.text(first.after or "") == "toy.func @f 5"
    assert last.failure is not None
    assert last.failure.diagnostic.message == "'toy.func' op pass 'refuse' failed: not this one"
    (run,) = record.info.runs
    assert run.failures == (last.failure,)
    assert run.pipeline == run.schedule == "toy.module(toy.func(grow,refuse))"
    assert [each.title for each in run.steps] == ["grow", "refuse"]
    assert record.info.is_complete


def test_an_incomplete_line_at_the_end_is_left_out(tmp_path: Path) -> None:
    """A record that ends in the middle of a line holds what comes before."""
    path = tmp_path / "r"
    whole = recorded(path, "toy.module(toy.func @f)", Grow(), Grow())
    data = path.read_bytes()
    cut = data.rindex(b'{"total"')
    path.write_bytes(data[: cut + 12])
    record = Record.open(path)
    assert record.executions == whole.executions[:1]
    assert not record.info.is_complete
    (running,) = record.running
    assert (running.path, running.op_title) == ("toy.module/toy.func/1:grow", "toy.func @f")
    assert (running.status, running.before) == ("running", whole.executions[0].after)
    assert record.state_before(running) == whole.state_after(whole.executions[0])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb'"z":"....', b'"z":"AAAA'),
        (rb'"z":"....', b'"z":"A'),
        (rb'"sizes":.[0-9]+', b'"sizes":['),
        (rb'"texts":"[0-9a-f]{2}', b'"texts":"zz'),
    ],
)
def test_a_damaged_text_is_one_error(tmp_path: Path, old: bytes, new: bytes) -> None:
    """Damage to a text is an error of the record, although texts are read late."""
    path = tmp_path / "r"
    digest = recorded(path, "toy.module(toy.func @f)", Grow()).executions[0].before
    path.write_bytes(re.sub(old, new, path.read_bytes()))
    assert digest is not None
    with pytest.raises(RecordError, match="the record is damaged: the text of an op is missing"):
        Record.open(path).text(digest)


def test_runs_of_one_recorder_have_all_diagnostics(tmp_path: Path) -> None:
    """A diagnostic is recorded even if it has the address of an earlier one."""
    recorder = Recorder(tmp_path / "r")
    for _ in range(20):
        manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Grow())
        manager.add_instrumentation(recorder)
        manager.run(parse_toy("toy.module(toy.func @f)"))
    assert recorder.run_record is not None
    assert all(each.diagnostics for each in recorder.run_record.executions)


def test_workers_take_no_time_of_the_pass_that_waits(tmp_path: Path) -> None:
    """What they take together may be more than the pass itself, whose own time includes the wait."""
    nap = step(lambda _, __: time.sleep(0.02), "nap")

    def wait(op: ToyOp, ctx: PassContext) -> None:
        time.sleep(0.02)
        ctx.run_pipeline(pipeline(pipeline(nap), anchor="toy.module"))

    manager = PassManager("toy.module", adapter=ToyAdapter()).add(step(wait, "wait"))
    manager.add_instrumentation(Recorder(tmp_path / "r"))
    record: Any = manager.run(parse_toy(f"toy.module({','.join(['toy.func'] * 6)})"), jobs=2).record
    assert sum(each.total_time for each in record.executions[:-1]) > 0.1
    assert record.executions[-1].own_time > 0.02


NO_RECORDS = [
    ("module {}", "is not a record of a run"),
    ("", "is not a record of a run"),
    ('{"record":', "ends before the first run"),
    ('{"record":10,"passel":"0.2.0"}\n{"ru', "ends before the first run"),
    ('{"record":99,"passel":"9.9"}\n{"new":1}\n', "written by passel 9.9 in format 99; passel"),
    ('{"record":1,"passel":"0.1.0"}\n', "in format 1; .* reads only format 10: record the run again"),
    ('{"record":10}\n{"begin":0,"of":0}\n', "is damaged at line 2"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), NO_RECORDS)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str, why: str) -> None:
    """A file that is not a record, or has an earlier or later form, is refused in one sentence."""
    path = tmp_path / "r"
    path.write_text(text)
    with pytest.raises(RecordError, match=why) as caught:
        Record.open(path)
    assert "\n" not in str(caught.value)


def test_states_of_modules_are_made_of_their_functions(tmp_path: Path) -> None:
    """The state after each execution is the module's text as the printer would give it."""
    exact, context = PrintFlags(generic=True, debuginfo=True), XDSLAdapter().create_context()
    source = """
    func.func @f() { %0 = arith.constant 1 : i32 func.return }
    builtin.module { func.func @g() { %0 = arith.constant 1 : i32 func.return } }
    """
    module = parse_source(context, source, "in.mlir")
    adapter, seen = XDSLAdapter(), list[str]()

    def look(step: Any, op: Any) -> bool:
        seen.append(adapter.print_op(module, exact))
        return True

    manager = PassManager.parse(
        "builtin.module(func.func(dce),builtin.module(func.func(dce),dce),dce)", context
    )
    manager.add_gate(look)
    manager.add_instrumentation(Recorder(tmp_path / "r"))
    record = manager.run(module).record
    assert record is not None
    assert [each.status for each in record.executions] == ["changed", "changed", *["unchanged"] * 2]
    states = [record.state_before(each) for each in record.executions]
    assert set(states) == {*seen}
    last = record.state_after(record.executions[-1])
    assert last == adapter.print_op(module, exact)
    assert last != states[0]
    toy = recorded(tmp_path / "r", "toy.module(toy.func @f 9,toy.func @g)", Grow(), Grow(to=99))
    assert toy.state_at(["toy.module/toy.func/0:grow"]) is None  # as its text has no parts


def test_a_record_that_ends_on_a_full_disk_is_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """When the disk is full the run goes on, and the record holds what came before."""
    written: list[int] = []

    class Full(FileIO):
        def write(self, data: Any, /) -> int:
            written.append(len(data))
            if len(written) > 5:
                raise OSError(ENOSPC, "No space left on device")
            return super().write(data)

    monkeypatch.setattr("passel.record.writer.FileIO", Full)
    record = recorded(tmp_path / "r", "toy.module(toy.func @f,toy.func @g)", Grow(), Grow())
    assert [each.symbol for each in record.executions] == ["f"]
    assert not record.info.is_complete
    assert capsys.readouterr().err.count("No space left on device") == 1


def grow_each(op: ToyOp, ctx: PassContext) -> None:
    """Double the values of the functions in a module, from the last on, and let a pass grow them."""
    for function in reversed(op.body):
        function.value *= 2
        ctx.run_pipeline(pipeline(Grow(to=100)), function)


@pytest.mark.parametrize("in_nested", [False, True], ids=["at the top", "nested"])
def test_ops_that_a_pass_runs_pipelines_on(tmp_path: Path, in_nested: bool) -> None:
    """Each execution has the ordinals of its op, and the texts before and after."""
    module = "toy.module(toy.func @f 1,toy.func @g 2)"
    manager = PassManager("toy.module", adapter=ToyAdapter())
    (manager.nest("toy.module") if in_nested else manager).add(step(grow_each))
    manager.add_instrumentation(Recorder(tmp_path / "record"))
    record = manager.run(parse_toy(f"toy.module({module})" if in_nested else module)).record
    assert record is not None
    *inner, outer = record.executions
    outside = (0, 0) if in_nested else (0,)
    assert [each.ordinals for each in inner] == [(*outside, 1), (*outside, 0)]
    texts = [("toy.func @g 4", "toy.func @g 5"), ("toy.func @f 2", "toy.func @f 3")]
    for each, (before, after) in zip(inner, texts, strict=True):
        assert (record.text(each.before or ""), record.text(each.after or "")) == (before, after)
        assert each.caller == outer.number
        assert each.is_amid
        assert record.state_before(each) is record.state_after(each) is None
    assert not outer.is_amid
    assert "(toy.func @f 3,toy.func @g 5)" in (record.state_after(outer) or "")


def test_a_pass_may_change_its_op_and_then_run_a_pipeline_on_it(tmp_path: Path) -> None:
    """The text before the inner pass has the changes that the outer pass has made until then."""

    def double(op: ToyOp, ctx: PassContext) -> None:
        op.value *= 2
        ctx.run_pipeline(pipeline(Grow(to=100)))

    record = recorded(tmp_path / "r", "toy.module(toy.func @f 4)", step(double))
    inner, outer = record.executions
    assert record.text(inner.before or "") == "toy.func @f 8"
    assert record.state_before(outer) == "toy.module(toy.func @f 4)"
    assert record.text(outer.after or "") == record.text(inner.after or "") == "toy.func @f 9"


def wait(op: ToyOp, ctx: PassContext) -> None:
    """Wait nearly as long in a pass that it runs as in all."""
    ctx.run_pipeline(pipeline(step(lambda _, __: time.sleep(0.05))))


def test_own_time_leaves_out_what_a_pass_runs(tmp_path: Path) -> None:
    """A record has the time of a pass with and without the passes that it ran."""
    inner, outer = recorded(tmp_path / "r", "toy.module(toy.func @f)", step(wait)).executions
    assert inner.own_time == inner.total_time >= 0.05
    assert outer.total_time >= inner.total_time
    assert outer.own_time <= outer.total_time - inner.total_time + 0.001


# -- On MLIR ----------------------------------------------------------------------------------


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
