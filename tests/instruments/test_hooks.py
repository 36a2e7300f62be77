"""What instrumentations may rely on: scopes, parts for other processes, threads, their runs."""

from __future__ import annotations

import gc
import logging
import pickle
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import StringIO
from typing import Any

import pytest
from event_recorder import EventRecorder
from toy_steps import fail, nothing, step

from passel import PassContext, PassFailedError, PassInstrumentation, PassManager
from passel.hooks import Instrumentor, OpIdentity
from passel.instruments.ir_printer import PrintIR
from passel.testing import ToyAdapter, ToyOp, parse_toy


def change(op: ToyOp, _: Any) -> None:
    """Change an op."""
    op.value += 1


def manager(*passes: Any, watch: tuple[PassInstrumentation, ...] = ()) -> PassManager:
    """Return a watched manager of passes on modules, by default one that changes them."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(*(passes or [change]))
    for each in watch:
        pm.add_instrumentation(each)
    return pm


class Alone(PassInstrumentation):
    """Counts how many of its hooks run at once."""

    running = most = 0

    def _enter(self, *args: Any, **kwargs: Any) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        time.sleep(0)  # let other threads try
        self.running -= 1

    before_run = after_run = before_pass = after_pass = _enter
    before_pipeline = after_pipeline = before_verification = after_verification = _enter


def test_a_run_that_ends_elsewhere_does_not_disturb_a_hook() -> None:
    """While a hook is called, the instrumentation keeps its run and how the pass ended."""
    seen: list[bool] = []

    class Slow(PassInstrumentation):
        finds_changes = True

        def after_pass(self, step: Any, op: Any) -> None:
            elsewhere = threading.Thread(target=Instrumentor([self]).forget_run)
            elsewhere.start()
            elsewhere.join(0.05)
            seen.append(self.ended.changed and self.run.outer is None)

    manager(watch=(Slow(),)).run(parse_toy("toy.module"))
    assert seen == [True]


def test_hooks_of_one_object_never_overlap() -> None:
    """Four threads with separate managers share the instrumentation."""
    alone = Alone()

    def work(_: int) -> None:
        pm = manager(watch=(alone,))
        pm.nest("toy.func").add(change, change, change)
        for _ in range(10):
            pm.run(parse_toy("toy.module(toy.func @a,toy.func @b)"))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert alone.most == 1


def test_copies_have_a_lock_of_their_own(caplog: pytest.LogCaptureFixture) -> None:
    """An instrumentation can be copied and pickled after a run, and the copy observes the next run."""
    recorder = EventRecorder()
    for _ in range(2):
        manager(watch=(recorder,)).run(parse_toy("toy.module"))
        recorder = pickle.loads(pickle.dumps(recorder))
    assert len(recorder.events) == 4
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


class Ends(PassInstrumentation):
    """Records how verifications and analyses end."""

    def __init__(self) -> None:
        self.failed: list[bool] = []

    def _end(self, *_: Any, **__: Any) -> None:
        self.failed.append(self.ended.failed)

    after_verification = after_analysis = _end


class Zero:
    """An analysis that raises for an op of another value."""

    def __init__(self, op: ToyOp) -> None:
        if op.value:
            raise ValueError


def ask(op: ToyOp, ctx: PassContext) -> None:
    """Ask for the analysis, and leave the op invalid if it raises."""
    with suppress(ValueError):
        ctx.analysis(Zero)
    op.value = -1 if op.value else 1


@pytest.mark.parametrize("fails", [False, True])
def test_hooks_see_whether_a_verification_or_an_analysis_has_failed(fails: bool) -> None:
    """The hook sees that the verification or the analysis failed, but not the exception."""
    ends = Ends()
    with suppress(PassFailedError):
        manager(step(ask), watch=(ends,)).run(ToyOp("toy.module", value=int(fails)))
    assert ends.failed == [fails, fails]


def test_an_instrumentation_lets_go_of_a_run_that_has_ended() -> None:
    """An instrumentation outlives the ops of its runs, and keeps none of them."""
    pm = manager(watch=(Ends(), PrintIR(stream=StringIO(), only_on_change=True)))
    pm.run(module := parse_toy("toy.module"))
    known = weakref.ref(module)
    del module
    gc.collect()
    assert known() is None


class Counting(ToyAdapter):
    """Counts the fingerprints that are taken."""

    taken = 0

    def fingerprint(self, op: ToyOp, *, recursive: bool = True) -> object:
        """Count it."""
        self.taken += 1
        return super().fingerprint(op, recursive=recursive)


def test_the_isolation_check_takes_as_many_fingerprints_as_there_are_ops() -> None:
    """Changes to siblings are found among many ops too."""

    def meddle(op: ToyOp, pass_: Any) -> None:
        if op.symbol == "f7" and op.parent is not None:
            op.parent.body[0].value += 1

    taken: list[int] = []
    for count in (100, 200):
        adapter = Counting()
        pm = PassManager("toy.module", adapter=adapter).add_nested("toy.func", meddle)
        pm.enable_isolation_check()
        funcs = ",".join(f"toy.func @f{number}" for number in range(count))
        with pytest.raises(PassFailedError, match="op was changed by a pass on a sibling"):
            pm.run(parse_toy(f"toy.module({funcs})"))
        taken.append(adapter.taken)
    assert taken[1] < 2.2 * taken[0]


def test_failed_hooks_and_pipeline_hooks_get_what_it_is_about() -> None:
    """The hook gets the failure that the run raises, and None for the enclosing step, which is `parent`."""
    failures: list[Any] = []
    steps: list[Any] = []

    class Watch(PassInstrumentation):
        def before_pass(self, step: Any, op: Any) -> None:
            steps.append(step)

        def before_pipeline(self, pipeline: Any, op: Any, parent: Any) -> None:
            assert pipeline in parent.pipelines
            assert parent is steps[0]

        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            failures.append(failure)

    pm = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", step(fail))
    pm.add_instrumentation(Watch())
    with pytest.raises(PassFailedError) as info:
        pm.run(parse_toy("toy.module(toy.func @f)"))
    assert failures == [info.value.failures[0], None]


def test_a_raising_instrumentation_is_enabled_again_by_the_next_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An instrumentation that raises is disabled for one run only."""

    class Broken(PassInstrumentation):
        def before_pass(self, step: Any, op: Any) -> None:
            raise RuntimeError

    pm = manager(change, change)
    pm.add_instrumentation(Broken())
    for _ in range(2):
        pm.run(parse_toy("toy.module"))
    assert len(caplog.records) == 2


class Executions(PassInstrumentation):
    """Remembers what ran, and the anchors of the runs that hooks are called for."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, tuple[OpIdentity, ...]]] = []
        self.anchors: list[str] = []

    def before_pass(self, step: Any, op: Any) -> None:
        """Remember the execution."""
        self.seen.append((step.path, self.run.identify(op)))
        self.anchors.append(self.run.pipeline.anchor)

    def after_pass(self, step: Any, op: Any) -> None:
        """Remember the anchor."""
        self.anchors.append(self.run.pipeline.anchor)


FUNCS = "toy.module(toy.func @a,toy.op,toy.module(toy.func @b,toy.func),toy.func,toy.module(toy.func @b))"


def executions(bad: str = "", *, gated: bool = False) -> list[tuple[Any, ...]]:
    """Return what ran on functions at two depths, whether or not it failed on one."""
    failing = step(lambda op, ctx: fail(op, ctx) if op.symbol == bad else None, "visit")
    visit = step(nothing, "visit")
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(failing, visit)
    pm.nest("toy.module").add_nested("toy.func", visit)
    pm.add(visit)
    if gated:
        pm.add_gate(lambda _, op: op.symbol != "a")
    watch = Executions()
    pm.add_instrumentation(watch)
    with suppress(PassFailedError):
        pm.run(parse_toy(FUNCS))
    return [(path, tuple(op.ordinal for op in ops), ops) for path, ops in watch.seen]


def test_each_execution_has_an_identity_of_its_own() -> None:
    """Identities distinguish ops without symbols, and do not depend on failures or skipped passes."""
    everything = {each[:2]: each for each in executions()}
    assert sum(path.endswith("visit") for path, _ in everything) == 8
    assert ("toy.module/toy.module/toy.func/0:visit", (0, 2, 1)) in everything
    for seen in (executions(), executions("a"), executions(gated=True)):
        assert len({each[:2] for each in seen}) == len(seen)
        assert all(everything[each[:2]] == each for each in seen)
    assert len(executions("a")) < len(everything)


def test_a_hook_finds_its_run() -> None:
    """`run` is the innermost run, also if a pass runs another manager with the same instrumentation."""
    watch = Executions()

    def run_another(op: Any, pass_: Any) -> None:
        pm = PassManager("toy.func", adapter=ToyAdapter()).add(change)
        pm.add_instrumentation(watch)
        pm.run(op.body[0])

    pm = PassManager("toy.module", adapter=ToyAdapter()).add(run_another)
    pm.add_instrumentation(watch)
    pm.run(parse_toy("toy.module(toy.func)"))
    assert watch.anchors == ["toy.module", "toy.func", "toy.func", "toy.module"]
    assert not hasattr(pickle.loads(pickle.dumps(watch)), "run")
