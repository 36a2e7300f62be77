"""Traces are what the trace event format says, whatever happens to the run."""

from __future__ import annotations

import io
import json
import threading
from contextlib import suppress
from typing import Any

import pytest

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.execution import Run
from passel.execution.strategies.fork import Forked
from passel.hooks import Instrumentor
from passel.instruments.trace import Trace
from passel.schedule import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

MODULE = "toy.module(toy.func @f,toy.func @g)"


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


def manager(how: str = "") -> PassManager:
    """A pass on functions."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(Work(how=how))
    return pm


STEP = "Pipeline Collection : ['toy.func']"


@pytest.mark.parametrize("how", ["", "fail", "interrupt"])
def test_slices_nest_like_the_run(how: str) -> None:
    """Each execution has a slice that names its op, and all slices end, whatever happens."""
    stream = io.StringIO()
    with manager(how).instrument(Trace(stream)) as pm, suppress(PassFailedError, KeyboardInterrupt):
        pm.run(parse_toy(MODULE), jobs=1)
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
        with manager().instrument(trace) as pm:
            pm.run(parse_toy(MODULE), jobs=1)

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
    run.run(compiler.schedule(manager()), parse_toy(MODULE))
    mine, *others = check(stream.getvalue())
    assert others
    assert mine[0] not in {pid for pid, _ in others}
    begin, *inner, end = [event["ts"] for event in json.loads(stream.getvalue())]
    assert begin < min(inner) < max(inner) < end
