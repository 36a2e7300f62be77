"""Traces are what the trace event format says, whatever happens to the run."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.execution import Run
from passel.execution.strategies.fork import Forked
from passel.hooks import Instrumentor
from passel.instruments.trace import Trace
from passel.schedule import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    import pytest

REQUIRED = {
    "B": {"name", "cat", "ph", "pid", "tid", "ts", "args"},
    "E": {"ph", "pid", "tid", "ts"},
    "C": {"name", "ph", "pid", "ts", "args"},
    "M": {"name", "ph", "pid", "args"},
}


def check(events: list[dict[str, Any]], *, complete: bool = True) -> dict[Any, list[str]]:
    """Assert that events keep to the format, and return the slices of each track by path."""
    events = sorted(events, key=lambda event: event["ts"])  # as viewers do
    open_slices: dict[Any, list[str]] = {}
    slices: dict[Any, list[str]] = {}
    named: set[Any] = set()
    for event in events:
        assert event["ph"] in REQUIRED
        assert event.keys() >= REQUIRED[event["ph"]]
        track = event["pid"], event["tid"]
        match event["ph"]:
            case "M":
                named.add((event["name"], track))
            case "B":
                open_slices.setdefault(track, []).append(event["name"])
                slices.setdefault(track, []).append(" > ".join(open_slices[track]))
            case "E":
                open_slices[track].pop()
            case _:
                assert all(isinstance(value, int | float) for value in event["args"].values())
    assert all(("thread_name", track) in named for track in slices)
    assert {pid for pid, _ in slices} == {t[0] for name, t in named if name == "process_name"}
    if complete:
        assert not any(open_slices.values())
    return slices


class Facts:
    """An analysis."""

    def __init__(self, op: ToyOp) -> None: ...


class Work(Pass):
    """Looks at facts, and changes the op or does not go on."""

    name = "work"
    how: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do as told."""
        ctx.analysis(Facts)
        if op.symbol == "g" and self.how == "fail":
            raise PassFailure("no")
        if op.symbol == "g" and self.how == "interrupt":
            raise KeyboardInterrupt
        if self.how == "change":
            op.value += 1


MODULE = "toy.module(toy.func @f,toy.func @g)"


def manager(how: str = "change") -> PassManager:
    """A pass on functions."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(Work(how=how))
    return pm


def traced(pm: PassManager, ir: str = MODULE) -> list[dict[str, Any]]:
    """Run and return the events."""
    stream = io.StringIO()
    with pm.instrument(Trace(stream)), suppress(PassFailedError, KeyboardInterrupt):
        pm.run(parse_toy(ir), jobs=1)
    return json.loads(stream.getvalue())


STEP = "Pipeline Collection : ['toy.func'] toy.module"


def test_slices_nest_like_the_run() -> None:
    """Slices of steps, pipelines, passes, analyses and verification nest, each with its facts."""
    events = traced(manager(), "toy.module(toy.func @f)")
    (slices,) = check(events).values()
    inner = f"{STEP} > 'toy.func' Pipeline @f > work @f"
    assert slices == [
        STEP,
        f"{STEP} > 'toy.func' Pipeline @f",
        *(inner, f"{inner} > (A) Facts", f"{inner} > verify"),
        f"{STEP} > verify",
    ]
    (begin,) = [event for event in events if event.get("name") == "work @f"]
    assert begin["cat"] == "pass"
    assert begin["args"] == {
        "path": "toy.module/toy.func/0:work",
        "op": "toy.func",
        "symbol": "f",
        "ordinals": [0, 0],
        "location": "unknown",
        "options": "how=change",
    }
    assert {"changed": True} in [event["args"] for event in events if event["ph"] == "E"]


def test_a_run_that_ends_early_leaves_valid_json() -> None:
    """After a failure or an interrupt, all slices end, and the last ones have the reason."""
    for how, why in (("fail", "failed: no"), ("interrupt", "interrupted by KeyboardInterrupt")):
        events = traced(manager(how))
        check(events)
        ends = [event["args"].get("message", "") for event in events if event["ph"] == "E"]
        assert any("work" in message and why in message for message in ends)


def test_each_thread_has_a_track() -> None:
    """Runs in several threads share a trace."""
    stream = io.StringIO()
    trace, together = Trace(stream), threading.Barrier(3)

    def work() -> None:
        together.wait()
        with manager().instrument(trace) as pm:
            pm.run(parse_toy(MODULE), jobs=1)

    with trace.scope("all"):
        threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = json.loads(stream.getvalue())
    assert len(check(events)) == 4
    names = {e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    assert {"worker 0", "worker 1", "worker 2"} < names


def test_other_processes_have_tracks() -> None:
    """The events of workers are on the same clock."""
    stream, compiler = io.StringIO(), PipelineCompiler(ToyAdapter(), {"toy"})
    run = Run(compiler, Instrumentor([Trace(stream)]), strategy=Forked(2))
    run.run(compiler.schedule(manager()), parse_toy(MODULE))
    events = json.loads(stream.getvalue())
    mine, *others = check(events)
    assert others
    assert mine[0] not in {pid for pid, _ in others}
    outer = [e["ts"] for e in events if e["ph"] in "BE" and e["pid"] == mine[0]]
    inner = [e["ts"] for e in events if e["ph"] in "BE" and e["pid"] != mine[0]]
    assert min(outer) < min(inner) < max(inner) < max(outer)


_SLOW = """
import sys, time
sys.path.insert(0, {folder!r})
from test_trace import manager, parse_toy, Trace, Work
class Slow(Work):
    name = "slow"
    def run(self, op, ctx):
        time.sleep(0.02)
pm = manager()
pm.nest("toy.func").add(*[Slow()] * 1000)
with pm.instrument(Trace({path!r})):
    pm.run(parse_toy({ir!r}))
"""


def test_a_killed_process_leaves_whole_events(tmp_path: Path) -> None:
    """The file has the slices that were running; the format allows an array without its end."""
    path, folder = tmp_path / "trace.json", str(Path(__file__).parent)
    program = _SLOW.format(folder=folder, path=str(path), ir=MODULE)
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        for _ in range(200):
            time.sleep(0.05)
            if path.exists() and path.stat().st_size > 10_000:
                break
        process.kill()
    text = path.read_text()
    events = json.loads(text if text.endswith("]\n") else text + "]")
    check(events, complete=False)
    assert any(event.get("name") == "slow @f" for event in events)


def test_a_file_that_cannot_be_written_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The run goes on without a trace."""
    trace = Trace(tmp_path / "absent" / "trace.json")
    for _ in range(2):
        with trace.scope("all"), manager().instrument(trace) as pm:
            pm.run(parse_toy(MODULE))
    assert [record.getMessage() for record in caplog.records] == ["cannot write the trace"]


def test_one_file_holds_all_runs(tmp_path: Path) -> None:
    """After each run it is one complete array."""
    path = tmp_path / "trace.json"
    path.write_text("what was there before" * 1000)
    trace, sizes = Trace(path), list[int]()
    for _ in range(3):
        with manager().instrument(trace) as pm:
            pm.run(parse_toy(MODULE))
        events = json.loads(path.read_text())
        check(events)
        sizes.append(len(events))
    assert sizes[0] < sizes[1] < sizes[2]
