"""What passes build before a run, and when they build it again."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from toy_steps import FUNCS, failed_run, nothing, recorded, step

from passel import OpPassManager, Pass, PassContext, PassFailure, PassManager, PipelineRun, option
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Log(list[str]):
    """The IR's context: a list of what was initialized, and with which state passes ran."""


class LogAdapter(ToyAdapter):
    """An adapter whose context is a log."""

    def load_dialects(self, context: object, names: Iterable[str]) -> None:
        """Note it."""
        assert isinstance(context, Log)
        context.extend(f"load {name}" for name in names)


class Build(Pass[ToyOp, str]):
    """Builds a state with its own name in it, and notes when it uses it."""

    name = "build"
    tag: str = ""

    def initialize(self, ir_context: Log) -> str:
        """Note it and return a state that tells one call from another."""
        ir_context.append(f"initialize {self.tag}")
        return f"{self.tag}#{len(ir_context)}"

    def run(self, op: ToyOp, ctx: PassContext[str]) -> None:
        """Note the state."""
        ctx.ir_context.append(f"run {ctx.state.upper()}")


def manager(*passes: Pass[Any, Any] | OpPassManager) -> tuple[PassManager, Log]:
    """Return a pipeline for modules, and its log."""
    log = Log()
    return PassManager("toy.module", log, adapter=LogAdapter()).add(*passes), log


def of_funcs(*passes: Pass[Any, Any]) -> OpPassManager:
    """Return a pipeline for functions."""
    return OpPassManager("toy.func").add(*passes)


def initialized(log: Log) -> list[str]:
    """Return the tags of what was initialized, and empty the log."""
    tags = [entry.removeprefix("initialize ") for entry in log if entry.startswith("initialize ")]
    log.clear()
    return tags


def test_every_pass_is_initialized_once_before_any_runs() -> None:
    """Depth first, in the order of the pipeline, whatever ops there are, and for all runs."""
    pm, log = manager(Build(tag="a"), of_funcs(Build(tag="b")), Build(tag="c"))
    pm.run(parse_toy("toy.module"))
    assert log == ["initialize a", "initialize b", "initialize c", "run A#1", "run C#3"]
    log.clear()
    pm.run(parse_toy(FUNCS), jobs=1)
    assert log == ["run A#1", "run B#2", "run B#2", "run C#3"]


# -- Again -----------------------------------------------------------------------------------


CHANGES: dict[str, Callable[[PassManager], object]] = {
    "added": lambda pm: pm.add(step(nothing)),
    "nested": lambda pm: pm.nest("toy.func").add(step(nothing)),
    "replaced by an equal one": lambda pm: (pm.clear(), pm.add(Build(tag="a"))),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_manager_is_initialized_again(change: Callable[[PassManager], object]) -> None:
    """Another pipeline is another schedule, for all of its passes."""
    pm, log = manager(Build(tag="a"))
    pm.run(parse_toy("toy.module"))
    assert initialized(log) == ["a"]
    change(pm)
    pm.run(parse_toy("toy.module"))
    assert initialized(log) == ["a"]


def test_a_run_with_another_context_is_another_schedule() -> None:
    """State may be tied to the context that it was built in."""
    pm, log = manager(Build(tag="a"))
    pm.run(parse_toy("toy.module"))
    pm.context = other = Log()
    pm.run(parse_toy("toy.module"))
    assert (initialized(log), initialized(other)) == (["a"], ["a"])


# -- Failing ---------------------------------------------------------------------------------


class Refuse(Build):
    """Cannot be initialized."""

    name = "refuse"
    crash: bool = False

    def initialize(self, ir_context: Log) -> str:
        """Raise."""
        super().initialize(ir_context)
        raise ZeroDivisionError("boom") if self.crash else PassFailure("no patterns")


@pytest.mark.parametrize("crash", [False, True])
def test_a_failing_initialize_stops_the_run_before_anything_executes(crash: bool) -> None:
    """Nothing behind it is initialized, no pass runs, no hook is called, and the run fails."""
    pm, log = manager(Build(tag="a"), of_funcs(Refuse(tag="b", crash=crash)), Build(tag="c"))
    events = recorded(pm)
    error = failed_run(pm)
    assert log == ["initialize a", "initialize b"]
    assert events == []
    (failure,) = error.failures
    kind = "crashed" if crash else "failed"
    assert (failure.kind, failure.path) == (kind, "toy.module/toy.func/0:refuse")
    assert isinstance(failure.cause, ZeroDivisionError if crash else PassFailure)
    assert ("boom" if crash else "no patterns") in error.diagnostics[0].message


def test_a_failed_initialize_is_tried_again() -> None:
    """The next run begins from the first pass; nothing half-built is kept."""
    pm, log = manager(Build(tag="a"), Refuse(tag="b"))
    for _ in range(2):
        failed_run(pm, "toy.module")
    assert initialized(log) == ["a", "b", "a", "b"]


# -- Dynamic pipelines -----------------------------------------------------------------------


class RunInner(Pass):
    """Runs its pipeline on every op inside."""

    name = "run-inner"
    inner: OpPassManager = option(default_factory=OpPassManager)

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Note how each run went."""
        for inner in op.body:
            run: PipelineRun = ctx.run_pipeline(self.inner, inner)
            ctx.ir_context.append(f"ran {bool(run)}")


def test_passes_of_dynamic_pipelines_are_initialized_at_their_first_run() -> None:
    """Not before the run, as it is not known whether they will, and not once per op or run."""
    pm, log = manager(RunInner(inner=of_funcs(Build(tag="i"))), Build(tag="a"))
    pm.run(parse_toy("toy.module"))
    assert initialized(log) == ["a"]
    pm.run(parse_toy(FUNCS))
    assert log == ["initialize i", "run I#1", "ran True", "run I#1", "ran True", "run A#1"]
    log.clear()
    pm.run(parse_toy(FUNCS))
    assert initialized(log) == []


def test_an_initialize_that_fails_in_a_dynamic_pipeline_is_called_once() -> None:
    """Each op on which the pipeline runs fails by it, and it is not called for each of them."""
    pm, log = manager(RunInner(inner=of_funcs(Refuse(tag="i"))))
    pm.run(parse_toy("toy.module(toy.func @f,toy.func @g,toy.func @h)"))
    assert log == ["initialize i", "ran False", "ran False", "ran False"]


def test_many_managers_do_not_crowd_out_others() -> None:
    """However many pipelines passes make, those that live on stay compiled, others go."""
    kept = of_funcs(Build(tag="i"))
    made: list[weakref.ref[OpPassManager]] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        ctx.run_pipeline(kept, op.body[0])
        for _ in range(40):
            new = of_funcs(step(nothing))
            made.append(weakref.ref(new))
            ctx.run_pipeline(new, op.body[0])

    pm, log = manager(Build(tag="a"), step(outer))
    for _ in range(2):
        pm.run(parse_toy(FUNCS))
    assert initialized(log) == ["a", "i"]
    gc.collect()
    assert not [reference for reference in made if reference() is not None]
