"""What timing measures, and how it is laid out, as `mlir::TimingManager` does it."""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from toy_steps import fail, nothing, step

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager
from passel.execution import Run
from passel.execution.strategies.executors import Threads
from passel.execution.strategies.fork import Forked
from passel.hooks import Instrumentor
from passel.instruments.ir_printer import PrintIR
from passel.instruments.timing import Timer, Timing
from passel.instruments.timing_report import timing_report
from passel.schedule.compiler import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.execution.strategies import Sequential


MODULE = "toy.module(toy.func @f,toy.module @m(toy.func @h),toy.func @g)"


class Nap(Pass):
    """Sleeps for a time in milliseconds, on all ops or on those of one symbol."""

    name = "nap"
    milliseconds: int = 0
    symbol: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Sleep."""
        time.sleep(self.milliseconds / 1000 if self.symbol in ("", op.symbol) else 0)


def runs(op: ToyOp, ctx: PassContext) -> None:
    """Run a pipeline that is built anew for each op."""
    ctx.run_pipeline(OpPassManager("any").add(Nap()))


def interrupt(op: ToyOp, ctx: PassContext) -> None:
    """Be where Ctrl-C hits."""
    raise KeyboardInterrupt


def manager(*passes: Pass[Any]) -> PassManager:
    """Return `toy.module(nap,toy.func(<passes>),toy.module(other))`."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.add(Nap())
    pm.add_nested("toy.func", *passes)
    pm.add_nested("toy.module", step(nothing, "other"))
    return pm


def outline(timer: Timer, depth: int = 0) -> Iterator[str]:
    """Yield the names and counts of what is in a tree."""
    for child in timer.children:
        yield f"{'  ' * depth}{child.name} x{child.count}"
        yield from outline(child, depth + 1)


def run(pm: PassManager, timing: Timing, jobs: int | None = None) -> Timer:
    """Run on the module, whether or not that fails."""
    pm.add_instrumentation(timing)
    with suppress(PassFailedError, KeyboardInterrupt):
        pm.run(parse_toy(MODULE), jobs=jobs)
    return timing.timing


def test_times_are_in_seconds_and_add_up() -> None:
    """The time of a row is that of its children and its own; on one thread, user time is wall time."""
    tree = run(manager(Nap(milliseconds=20)), Timing(), jobs=1)
    nap = tree.find("toy.module/toy.func/0:nap")
    assert nap is not None
    assert 0.04 <= nap.wall < 1
    for timer in tree.walk():
        assert timer.user == timer.wall
        assert timer.wall >= sum(child.wall for child in timer.children)


def test_pipelines_that_passes_run_are_below_their_pass() -> None:
    """Equal dynamic pipelines share rows, however often they are built."""
    assert list(outline(run(manager(step(runs)), Timing())))[2:6] == [
        "  'toy.func' Pipeline x2",
        "    Step x2",
        "      'any' Pipeline x2",
        "        Nap x2",
    ]


def test_scopes_time_what_is_no_pass() -> None:
    """Scopes of one name are one row, and runs may be inside; the total has what no row covers."""
    timing = Timing()
    for _ in range(2):
        with timing.scope("Parser"):
            run(manager(), timing)
    with timing:
        time.sleep(0.02)
    assert list(outline(timing.timing))[:2] == ["Parser x2", "  Nap x2"]
    assert timing.timing.wall >= sum(row.wall for row in timing.timing.children) + 0.02


@pytest.mark.parametrize("culprit", [step(fail), step(interrupt)])
def test_failures_leave_nothing_open(culprit: Pass[Any]) -> None:
    """After a failure or an interrupt, the rows of the next run are in the right places."""
    timing = Timing()
    run(manager(culprit), timing)
    tree = run(manager(Nap()), timing)
    assert [child.name for child in tree.children] == [
        "Nap",
        "Pipeline Collection : ['toy.func', 'toy.module']",
        "Pipeline Collection : ['toy.func', 'toy.module']",
    ]
    assert tree.children[0].count == 2


def shared_run(strategy: Sequential, timing: Timing, ops: int = 8) -> None:
    """Let workers take ten milliseconds for each of some ops."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.add_nested("toy.func", Nap(milliseconds=10))
    compiler = PipelineCompiler(ToyAdapter(), {"toy"})
    module = parse_toy(f"toy.module({','.join(['toy.func @f'] * ops)})")
    Run(compiler, Instrumentor([timing]), strategy=strategy).run(compiler.schedule(pm), module)


@pytest.mark.parametrize("strategy", [Threads(2), Forked(2)], ids=["threads", "fork"])
def test_wall_time_is_that_of_the_slowest_worker(strategy: Sequential) -> None:
    """Wall time is that of the slowest worker, user time the sum, in all enclosing rows."""
    timing = Timing()
    shared_run(strategy, timing)
    tree = timing.timing
    assert list(outline(tree)) == [
        "Pipeline Collection : ['toy.func'] x1",
        "  'toy.func' Pipeline x8",
        "    Nap x8",
    ]
    nap = tree.find("Nap")
    assert nap is not None
    assert nap.user >= 0.08
    assert 0.04 <= nap.wall <= tree.wall  # one worker may have been there for all
    for row in tree.walk():
        assert 0 <= row.wall <= tree.wall
        assert row.user >= sum(each.user for each in row.children) - 1e-9
    assert sum(each.wall for each in tree.children[0].children) <= tree.children[0].wall
    report = timing_report(tree)
    assert "----User Time----" in report
    assert "-0.0" not in report
    assert all(float(each) <= 100 for each in re.findall(r"\( *(\S+)%\)", report))


def test_enable_timing_prints_one_report_per_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Each run starts at zero, and the result has the tree as well."""
    pm = manager()
    pm.enable_timing()
    for _ in range(2):
        result = pm.run(parse_toy(MODULE))
        assert result.timing is not None
        assert result.timing.children[0].count == 1
    assert capsys.readouterr().err.count("Execution time report") == 2
    pm.enable_timing(False)
    pm.run(parse_toy(MODULE))
    assert not capsys.readouterr().err


def test_times_exclude_printing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock starts after all printing and stops before it, whatever was enabled first."""
    told: list[str] = []

    def telling(name: str) -> Any:
        def tell(*_: object) -> None:
            told.append(name)

        return tell

    for kind in (Timing, PrintIR):
        for hook in ("before_pass", "after_pass"):
            monkeypatch.setattr(kind, hook, telling(f"{hook} {kind.__name__}"))
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Nap())
    pm.enable_timing()
    pm.enable_ir_printing()
    pm.run(parse_toy("toy.module()"))
    inner = ["before_pass Timing", "after_pass Timing"]
    assert told == ["before_pass PrintIR", *inner, "after_pass PrintIR"]


def test_wrong_arguments_are_errors() -> None:
    """An unknown display or format is an error that lists the known ones."""
    wrong: Any = {"display": "forest", "output_format": "xml"}
    with pytest.raises(ValueError, match="unknown timing display 'forest' or format 'xml': "):
        Timing(**wrong)


def test_json_is_valid_whatever_names_are() -> None:
    """Names are escaped, which MLIR does not do."""
    tree = Timer("root", children=[Timer('a "b"\n\\')])
    assert json.loads(timing_report(tree, output_format="json"))[0]["name"] == 'a "b"\n\\'


def test_what_a_collection_takes_for_itself_is_rest() -> None:
    """`Rest` is the time that no shown row covers; without measurements, all times are zero."""
    pipeline = Timer("'f' Pipeline", wall=0.25, user=0.25)
    hidden = Timer("collection", wall=0.5, user=0.5, hidden=True, children=[pipeline])
    lines = str(Timer("root", wall=1.0, user=1.0, children=[hidden])).splitlines()[6:]
    assert [line.split()[0] for line in lines] == ["0.2500", "0.7500", "1.0000"]
    assert "0.0000 (  0.0%)  Total" in str(Timing().timing)
