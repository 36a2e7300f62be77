"""The log of actions, debug counters and traces, over the toy IR and through the tool."""

from __future__ import annotations

import io
import json
import re
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from tool_fixtures import only_error
from toy_steps import step

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.diagnostics import Location
from passel.execution import Run
from passel.execution.strategies.fork import Forked
from passel.hooks import Instrumentor
from passel.instruments.actions import ActionLog, DebugCounter, place_of
from passel.instruments.trace import Trace
from passel.schedule.compiler import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from tool_fixtures import Tool


FUNCTIONS = "toy.module(toy.func @f,toy.func @g)"


def add(op: ToyOp, _: PassContext) -> None:
    """Add one to the op's value."""
    op.value += 1


PASSES = step(add, "count"), step(add, "other")


class LocatedAdapter(ToyAdapter):
    """Functions come from a file; their value moves them."""

    def location(self, op: ToyOp) -> Location:
        """Return a line for each letter."""
        return Location("in.toy", ord((op.symbol or "A")[0]) + op.value, 3)


def manager(adapter: ToyAdapter) -> PassManager:
    """Both passes on functions."""
    return PassManager("toy.module", adapter=adapter).add_nested("toy.func", *PASSES)


def test_executions_have_the_numbers_of_a_counter() -> None:
    """Execution numbers in the log are the numbers at which a counter stops, whatever is logged."""
    stream, pm = io.StringIO(), manager(LocatedAdapter())
    log = ActionLog(stream, places=[place_of(f"in.toy:{ord('g')}")])
    pm.add_instrumentation(log)
    pm.run(parse_toy(FUNCTIONS))
    pm.run(parse_toy("toy.module()"))
    pm.run(parse_toy(FUNCTIONS))
    numbers = re.findall(r"execution (\d+)\] (begins|completed)", stream.getvalue())
    # The first pass moves `f` to where the log looks at.
    expected = ["3", "4", "9", "10"]
    assert numbers == [(n, what) for n in expected for what in ("begins", "completed")]
    stream, pm = io.StringIO(), manager(LocatedAdapter())
    pm.add_gate(DebugCounter("pass-execution-count=4"))
    pm.add_instrumentation(ActionLog(stream))
    pm.run(module := parse_toy(FUNCTIONS))
    assert [op.value for op in module.body] == [2, 1]
    ends = re.findall(r"(completed|skipped) `pass-execution`", stream.getvalue())
    assert ends == ["completed", "completed", "completed", "skipped", "completed"]


@pytest.mark.parametrize("text", ["", ":3", "f:x", "f:1:x", "f:1:2:3", "f:-1"])
def test_a_place_is_written_as_diagnostics_write_it(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match="expected 'file:line:col'"):
        place_of(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("count-skip=1", "1 2"),
        ("count-count=1", "2 1"),
        ("count-skip=1,other-count=1", "1 1"),
        ("count-count=0,other-count=0", "0 0"),
        ("pass-execution-count=2,count-skip=1", "0 0"),
    ],
)
def test_a_pass_has_a_counter_of_its_own(text: str, values: str) -> None:
    """The counter of a pass counts the executions that `pass-execution` admits."""
    pm, module = manager(ToyAdapter()), parse_toy(FUNCTIONS)
    pm.add_gate(DebugCounter(text))
    pm.run(module)
    assert " ".join(str(op.value) for op in module.body) == values


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--log-mlir-actions-filter=x:1"], "needs --log-actions-to=<file>"),
        (["--log-actions-to=-", "--log-mlir-actions-filter=x:y"], "expected 'file:line:col'"),
        (["--log-actions-to=no/such/directory"], "cannot open output file 'no/such/directory'"),
        (["--profile-actions-to=no/such/directory"], "cannot open output file"),
    ],
)
def test_wrong_flags_are_one_error(tool: Tool, flags: list[str], message: str) -> None:
    """The tool reports the mistake before it does any work, and exits with 1."""
    assert message in only_error(tool("in.mlir", "--cse", *flags))


# -- Traces -----------------------------------------------------------------------------------


def check(text: str) -> dict[Any, list[str]]:
    """Assert that events keep to the format, and return the slices of each track by path."""
    open_slices: dict[Any, list[str]] = {}
    slices: dict[Any, list[str]] = {}
    for event in sorted(json.loads(text), key=lambda event: event["ts"]):  # as viewers do
        track = event["pid"], event["tid"]
        if event["ph"] == "B":
            assert list(event["args"]) == ["desc"]
            open_slices.setdefault(track, []).append(event["name"])
            slices.setdefault(track, []).append(" > ".join(open_slices[track]))
        else:
            assert event["ph"] == "E"
            assert open_slices[track].pop() == event["name"]
    assert not any(open_slices.values())
    return slices


class Work(Pass):
    """Does not go on, if told."""

    name = "work"
    how: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do as told."""
        if op.symbol == "g" and self.how == "fail":
            raise PassFailure("no")
        if op.symbol == "g" and self.how == "interrupt":
            raise KeyboardInterrupt


def working(how: str = "") -> PassManager:
    """A pass on functions."""
    return PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Work(how=how))


STEP = "Pipeline Collection : ['toy.func']"


@pytest.mark.parametrize("how", ["", "fail", "interrupt"])
def test_slices_nest_like_the_run(how: str) -> None:
    """Each execution has a slice that names its op, and all slices end, whatever happens."""
    stream = io.StringIO()
    pm = working(how)
    pm.add_instrumentation(Trace(stream))
    with suppress(PassFailedError, KeyboardInterrupt):
        pm.run(parse_toy(FUNCTIONS), jobs=1)
    (slices,) = check(stream.getvalue()).values()
    assert slices == [STEP, f"{STEP} > Work", f"{STEP} > Work"]
    assert json.loads(stream.getvalue())[1]["args"] == {
        "desc": "`Work` on 'toy.func' operation: @f"
    }


def test_each_thread_has_a_track() -> None:
    """Runs in several threads share a trace, which is one array."""
    stream = io.StringIO()
    trace, together = Trace(stream), threading.Barrier(3)

    def work() -> None:
        together.wait()
        pm = working()
        pm.add_instrumentation(trace)
        pm.run(parse_toy(FUNCTIONS), jobs=1)

    with trace:
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(check(stream.getvalue())) == 3


def test_other_processes_have_tracks() -> None:
    """The events of workers are on the same clock."""
    stream, compiler = io.StringIO(), PipelineCompiler(ToyAdapter(), {"toy"})
    run = Run(compiler, Instrumentor([Trace(stream)]), strategy=Forked(2))
    run.run(compiler.schedule(working()), parse_toy(FUNCTIONS))
    mine, *others = check(stream.getvalue())
    assert others
    assert mine[0] not in {pid for pid, _ in others}
    begin, *inner, end = [event["ts"] for event in json.loads(stream.getvalue())]
    assert begin < min(inner) < max(inner) < end
