"""A sketch of siblings on threads: the runner's tasks given to a pool, with equal outcomes.

Nothing of it is public. It shows that outcomes are all that siblings share.
"""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from passel import OpPassManager, Pass, PassContext, PassFailure, Statistic
from passel.execution import Run
from passel.execution.strategies import Sequential
from passel.instruments.hooks import Instrumentor
from passel.schedule import PipelineCompiler
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passel.execution import Outcome
    from passel.execution.strategies import SiblingStrategy


class OnThreads:
    """Siblings in a pool of threads, as many at once as it has."""

    in_order = False

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.pool = pool

    def __call__(self, run: Callable[[Any], Outcome], tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Give the tasks to the pool, unless it may be waiting for this very thread."""
        if len(tasks) < 2 or tasks[0].parent.parent is not None:
            return map(run, tasks)
        return self.pool.map(run, tasks)


class Act(Pass):
    """Change, report, count or fail, as the op's value says."""

    name = "act"
    seen = Statistic("Ops seen")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        ctx.count(self.seen)
        ctx.emit_remark(f"saw {op.symbol}").attach_note("here")
        match op.value % 5:
            case 0:
                op.value += 1
            case 1:
                raise PassFailure(f"{op.symbol} is odd")
            case 2:
                op.value = -7
            case 3:
                ctx.run_pipeline(OpPassManager("any").add(Again()))
            case _:
                ctx.preserve_all()


class Again(Pass):
    """Count and report."""

    name = "again"
    seen = Statistic("Ops seen")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        ctx.count(self.seen, 2)
        ctx.emit_warning(f"again {op.symbol}")


def outcome(strategy: SiblingStrategy, seed: int) -> tuple[Outcome, list[str], str]:
    """Run a nested pipeline; return how it went, what was reported, and the IR."""
    functions = ",".join(f"toy.func @f{i}" for i in range(40))
    module = parse_toy(f"toy.module(toy.module @inner({functions}),{functions})")
    for number, op in enumerate(module.walk()):
        op.value = (number * seed) % 11 if op.name == "toy.func" else 0
    manager = OpPassManager("toy.module")
    manager.nest("toy.func").add(Act(), Again())
    manager.nest("toy.module").nest("toy.func").add(Act())
    reported: list[str] = []
    compiler = PipelineCompiler(ToyAdapter(), set[str]())
    run = Run(compiler, Instrumentor(), lambda each: reported.append(str(each)), strategy=strategy)
    found = run.run(compiler.schedule(manager), module)
    return found, reported, str(module)


def plain(found: Outcome) -> tuple[Any, ...]:
    """Return all of an outcome in a form that compares."""
    failures = [(str(each), each.kind, each.path, each.symbol) for each in found.failures]
    return found.changed, failures, [*map(str, found.diagnostics)], dict(found.counts)


@pytest.mark.parametrize("seed", range(1, 11))
def test_siblings_on_threads_have_the_same_outcome(seed: int) -> None:
    """IR, failures, diagnostics and counts are those of one after the other, in program order."""
    expected, said, ir = outcome(Sequential(), seed)
    with ThreadPoolExecutor(4) as pool:
        found, reported, text = outcome(OnThreads(pool), seed)
    assert plain(found) == plain(expected)
    assert (reported, text) == (said, ir)
    assert expected.failures


def test_outcomes_can_be_sent_to_another_process() -> None:
    """An outcome holds no ops and no functions."""
    found, _, _ = outcome(Sequential(), 3)
    assert plain(pickle.loads(pickle.dumps(found))) == plain(found)
