"""Records of runs on several workers: they are those of one worker, but for the times."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext, PassFailedError, PassFailure, PassManager
from passel.bridge import RunOnMLIR
from passel.execution.strategies.fork import Forked
from passel.record.recorder import Recorder
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from passel.record import Execution, Record

_FUNCTION = """
func.func {visibility} @{name}(%x: i32) -> (i32, i32) {{
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %c = arith.constant 1 : i32
  return %0, %1 : i32, i32
}}
"""
_SOURCE = "".join(
    _FUNCTION.format(visibility="private" if n % 3 else "", name=f"f{n}")
    + f"builtin.module @m{n} {{ {_FUNCTION.format(visibility='', name='g')} }}"
    for n in range(8)
)
_PIPELINE = (
    "builtin.module(func.func(cse),builtin.module(func.func(cse),canonicalize),"
    "symbol-dce,func.func(canonicalize),canonicalize)"
)


class FailOn(OperationPass[FuncOp]):
    """Say that functions were seen, and fail on one."""

    name = "fail-on"
    symbol: str = "f3"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Look at the name."""
        ctx.emit_remark("seen", op)
        if op.sym_name.data == self.symbol:
            raise PassFailure("not this one")


def _recorded(path: Path, *passes: OperationPass[FuncOp], **how: Any) -> Record:
    context = XDSLAdapter().create_context()
    manager = PassManager.parse(_PIPELINE, context)
    if passes:
        manager.add_nested("func.func", *passes)
    manager.add_instrumentation(Recorder(path))
    try:
        record = manager.run(parse_source(context, _SOURCE, "in.mlir"), **how).record
    except PassFailedError as error:
        record = error.record
    assert record is not None
    return record


def _timeless(executions: Iterable[Execution]) -> list[Execution]:
    return [each._replace(own_time=0, total_time=0) for each in executions]


@pytest.fixture
def merged(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that gets the parts of workers which recorders take over."""
    parts: list[object] = []
    merge = Recorder.merge

    def noting(self: Recorder, child: Any) -> None:
        parts.append(child)
        merge(self, child)

    monkeypatch.setattr(Recorder, "merge", noting)
    return parts


def _assert_same(record: Record, one: Record) -> None:
    assert _timeless(record.executions) == _timeless(one.executions)
    assert len(one.executions) > 25
    assert record.info.runs == one.info.runs
    states = [record.state_after(each) for each in record.executions]
    assert states == [one.state_after(each) for each in one.executions]
    assert len(set(states)) > 10


@pytest.mark.parametrize("passes", [(), (FailOn(),)], ids=["good", "failing"])
@pytest.mark.parametrize("where", ["fork", "threads"])
def test_workers_record_what_one_does(
    tmp_path: Path,
    merged: list[object],
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    passes: tuple[FailOn, ...],
) -> None:
    """Forked workers and threads leave the record of one worker, failures included."""
    one = _recorded(tmp_path / "one", *passes, jobs=1)
    assert not merged
    if where == "fork":
        forked = Forked(2)

        def strategy_for(*_: object) -> Forked:
            return forked

        monkeypatch.setattr("passel.manager.pass_manager.strategy_for", strategy_for)
        record = _recorded(tmp_path / "two", *passes)
    else:
        with ThreadPoolExecutor(2) as executor:
            record = _recorded(tmp_path / "two", *passes, executor=executor)
    assert merged
    _assert_same(record, one)
    assert bool(record.info.runs[0].failures) == bool(passes)


class CrossOver(OperationPass[FuncOp]):
    """Run a pipeline on MLIR, which is not part of the schedule."""

    name = "cross-over"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Run it."""
        ctx.run_pipeline(PassManager("func.func", ctx.ir_context).add(RunOnMLIR.of("cse")))


def test_a_run_inside_a_pass_of_a_worker_is_recorded(tmp_path: Path, merged: list[object]) -> None:
    """The record has the start and the end of each run that crosses to another IR in a worker."""
    pytest.importorskip("mlir", reason="MLIR's bindings are not installed")
    one = _recorded(tmp_path / "one", CrossOver(), jobs=1)
    with ThreadPoolExecutor(2) as executor:
        two = _recorded(tmp_path / "two", CrossOver(), executor=executor)
    _assert_same(two, one)
    assert merged
    assert len(two.info.runs) == 4
    assert two.info.is_complete
