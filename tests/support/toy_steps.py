"""Steps made of functions over the toy IR, pipelines of them, and analyses for them to ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder

from passel import (
    AnalysisManager,
    Failure,
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
)
from passel.passes.factory import make_pass_class
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


FUNCS = "toy.module(toy.func @f,toy.func @g)"
DEEP = "toy.module(toy.module @m(toy.func @f))"


class Total:
    """The sum of all values in an op."""

    def __init__(self, op: ToyOp) -> None:
        self.value = sum(inner.value for inner in op.walk())


class Names:
    """The names of all ops in an op."""

    def __init__(self, op: ToyOp) -> None:
        self.names = [inner.name for inner in op.walk()]


class Both:
    """Built from the two others."""

    def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
        self.total, self.names = analyses.analysis(Total), analyses.analysis(Names)


class EqualTotal(Total):
    """A total that can be compared."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualTotal) and self.value == other.value

    __hash__ = None  # pyright: ignore[reportAssignmentType]


# -- Passes ----------------------------------------------------------------------------------


def step(
    body: Callable[[ToyOp, PassContext], object],
    name: str = "step",
    *dialects: str,
    preserves: tuple[type, ...] = (),
) -> Pass[Any]:
    """Return a pass that does this."""

    def run(self: Any, op: ToyOp, ctx: PassContext) -> None:
        body(op, ctx)

    declared: dict[str, Any] = {"dependent_dialects": dialects, "preserves": preserves}
    return make_pass_class(Pass, "Step", name=name, run=run, **declared)()


def nothing(op: ToyOp, ctx: PassContext) -> None:
    """Do nothing."""


def fail(op: ToyOp, ctx: PassContext) -> None:
    """Give up."""
    raise PassFailure("gave up")


def ask(op: ToyOp, ctx: PassContext) -> None:
    """Compute an analysis and preserve it."""
    ctx.analysis(Total)
    ctx.preserve(Total)


def keep(*kinds: type) -> Pass[Any]:
    """Return a pass that asks for analyses and preserves them."""
    return step(lambda _, ctx: ([ctx.analysis(kind) for kind in kinds], ctx.preserve(*kinds)))


def look(seen: list[bool], *kinds: type) -> Pass[Any]:
    """Return a pass that notes whether analyses are cached, and preserves everything."""
    return step(
        lambda _, ctx: (
            seen.extend(ctx.cached_analysis(kind) is not None for kind in kinds),
            ctx.preserve_all(),
        )
    )


def children(*kinds: type, preserving: tuple[type, ...]) -> Pass[Any]:
    """Return a pass that asks for analyses of every op inside, and preserves some."""
    return step(
        lambda op, ctx: (
            [ctx.child_analysis(kind, inner) for inner in op.body for kind in kinds],
            ctx.preserve(*preserving),
        )
    )


def look_inside(seen: list[bool], *kinds: type) -> Pass[Any]:
    """Return a pass that notes what is cached for the ops inside, and preserves it."""
    return step(
        lambda op, ctx: (
            seen.extend(
                ctx.cached_child_analysis(kind, inner) is not None
                for inner in op.body
                for kind in kinds
            ),
            ctx.preserve_all(),
        )
    )


# -- Pipelines -------------------------------------------------------------------------------


def pipeline(*passes: Pass[Any, Any] | OpPassManager, anchor: str = "toy.func") -> OpPassManager:
    """Return a pipeline for functions, or for other ops."""
    return OpPassManager(anchor).add(*passes)


def manager(
    *passes: Pass[Any, Any] | OpPassManager, adapter: ToyAdapter | None = None
) -> PassManager:
    """Return a pipeline for modules."""
    return PassManager("toy.module", adapter=adapter or ToyAdapter()).add(*passes)


# -- Runs ------------------------------------------------------------------------------------


def recorded(pm: PassManager) -> list[str]:
    """Return the list that will hold every hook that is called."""
    recorder = EventRecorder()
    pm.add_instrumentation(recorder)
    return recorder.events


def events(pm: PassManager, ir: str | ToyOp = "toy.module") -> list[str]:
    """Run a pipeline and return every hook that was called."""
    called = recorded(pm)
    pm.run(parse_toy(ir) if isinstance(ir, str) else ir)
    return called


def computed(pm: PassManager, ir: str | ToyOp = "toy.module") -> list[str]:
    """Run a pipeline and return what was computed, as `Total @f`."""
    prefix = "before-analysis "
    return [e.removeprefix(prefix) for e in events(pm, ir) if e.startswith(prefix)]


def failed_run(
    pm: PassManager, ir: str | ToyOp = FUNCS, *, jobs: int | None = None
) -> PassFailedError:
    """Run a pipeline that fails, and return how."""
    with pytest.raises(PassFailedError) as info:
        pm.run(parse_toy(ir) if isinstance(ir, str) else ir, jobs=jobs)
    return info.value


def failure_of(pm: PassManager, ir: str | ToyOp = "toy.module 1") -> Failure:
    """Run a pipeline that fails once, and return how."""
    (failure,) = failed_run(pm, ir).failures
    return failure
