"""What the statistics report shows, as `mlir::PassManager::enableStatistics` has it, and that passes count what is true."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from toy_steps import nothing, step

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager, Statistic
from passel.instruments.statistics_report import StatisticsReport
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    import pytest

HEADER = """\
===-------------------------------------------------------------------------===
                         ... Pass statistics report ...
===-------------------------------------------------------------------------===
"""


class Counts(Pass):
    """Counts, with names that are not in order."""

    name = "counts"
    seen = Statistic("Ops seen", name="num-seen")
    never = Statistic("Never counted", name="again")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Count what is inside."""
        ctx.count(self.seen, len(op.body))


def runs(op: ToyOp, ctx: PassContext) -> None:
    """Run a pipeline of two, which is built anew for each op, and one of one."""
    nested = OpPassManager("any").add(Counts())
    nested.add_nested("toy.func", Counts())
    ctx.run_pipeline(nested)
    ctx.run_pipeline(OpPassManager("any").add(Counts()))


Display = Literal["pipeline", "list", "json"]


def report(display: Display, *entries: Pass[Any]) -> str:
    """Return the report of `toy.module(counts,toy.func(<entries>),toy.module(step))`."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Counts())
    pm.add_nested("toy.func", *entries)
    pm.add_nested("toy.module", step(nothing))
    stream = io.StringIO()
    module = parse_toy("toy.module(toy.func @f(toy.func,toy.func),toy.func @g(toy.func))")
    for _ in range(8):
        module.body[0].add(ToyOp("toy.func"))
    pm.add_instrumentation(StatisticsReport(display, stream=stream))
    with suppress(PassFailedError):
        pm.run(module)
    return stream.getvalue()


def test_pipelines_that_passes_run_are_not_lost() -> None:
    """Dynamic pipelines are below their pass, each pass once, however often it ran."""
    assert report("pipeline", step(runs, "runs")) == HEADER + (
        """\
Counts
  (S) 0 again    - Never counted
  (S) 2 num-seen - Ops seen
Pipeline Collection : ['toy.func', 'toy.module']
  'toy.func' Pipeline
    Step
      'any' Pipeline
        Counts
          (S)  0 again    - Never counted
          (S) 22 num-seen - Ops seen
        'toy.func' Pipeline
          Counts
            (S) 0 again    - Never counted
            (S) 0 num-seen - Ops seen
  'toy.module' Pipeline
    Step

"""
    )
    assert "(S) 24 num-seen" in report("list", step(runs, "runs"))
    paths = [row["path"] for row in json.loads(report("json", step(runs, "runs")))]
    assert paths == [
        "toy.module/0:counts",
        "toy.module/toy.func/0:runs/any/0:counts",
        "toy.module/toy.func/0:runs/any/toy.func/0:counts",
    ]


def test_enable_statistics_prints_the_numbers_of_each_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A second run starts at zero, which MLIR's does not."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Counts())
    pm.enable_statistics("list")
    for _ in range(2):
        pm.run(parse_toy("toy.module(toy.func)"))
    assert capsys.readouterr().err.count("(S) 1 num-seen") == 2
