"""Small passes over the toy IR, a registry of them, and ways to run pipelines of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import pytest
from event_recorder import EventRecorder

from passel import (
    InterfacePass,
    OpKind,
    OpPassManager,
    Options,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    PassRegistry,
    Statistic,
    option,
)
from passel.passes.factory import make_pass_class
from passel.testing import Callable_, ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


class Size(Options):
    """A struct of options."""

    width: int = 1
    height: int = 1


class Nothing(Pass):
    """Does nothing."""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do nothing."""


class OnCallable(InterfacePass[Callable_]):
    """Does nothing to functions."""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do nothing."""


def _is_no_function(_: Any, kind: OpKind) -> bool:
    return kind.name != "toy.func"


SIMPLE: dict[str, dict[str, Any]] = {
    "a": {},
    "b": {},
    "c": {},
    "on-callable": {},
    "on-callable2": {},
    "on-func": {"anchor": "toy.func"},
    "on-module": {"anchor": "toy.module"},
    "picky": {"can_schedule_on": _is_no_function},
    "extra": {"dependent_dialects": ("extra",)},
    "missing": {"dependent_dialects": ("absent",)},
}
"""What passes that do nothing declare, by name."""


def _simple(name: str) -> type[Pass[Any]]:
    base = OnCallable if name.startswith("on-callable") else Nothing
    class_name = name.title().replace("-", "")
    return make_pass_class(base, class_name, name=name, **SIMPLE[name])


@cache  # making classes takes longer than most tests
def _passes() -> list[type[Pass[Any]]]:  # noqa: C901 - one after the other
    class Fail(Pass):
        """Gives up on the op with the symbol `at`, or on all."""

        name = "fail"
        at: str = ""
        why: str = ""

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            if self.at in ("", op.symbol):
                raise PassFailure(self.why)

    class Crash(Pass):
        """Raises something that is no verdict."""

        name = "crash"
        at: str = ""

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            if self.at in ("", op.symbol):
                msg = "boom\nwith a long tail"
                raise ZeroDivisionError(msg)

    class Set(Pass):
        """Sets the value of the op, or of every op inside named `at`; negative is invalid."""

        name = "set"
        to: int = -1
        at: str = ""
        preserve: bool = False

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            for inner in op.walk() if self.at else (op,):
                if self.at in ("", inner.symbol):
                    inner.value = self.to
            if self.preserve:
                ctx.preserve_all()

    class Count(Pass):
        name = "count"
        seen = Statistic("Ops seen")

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            ctx.count(self.seen)
            ctx.count(self.seen, 2)

    class Report(Pass):
        name = "report"
        at: str = ""

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            ctx.emit_warning(f"warned {op.symbol}")

    class Knobs(Pass):
        """Has an option of each kind."""

        name = "knobs"
        flag: bool = False
        number: int = 0
        ratio: float = 1.0
        word: str = ""
        words: tuple[str, ...] = ()
        numbers: tuple[int, ...] = (1,)
        mode: Literal["fast", "slow"] = "fast"
        maybe: int | None = None
        size: Size = Size()
        pipeline: OpPassManager = option(default_factory=OpPassManager)

        def run(self, op: ToyOp, ctx: PassContext) -> None: ...

    class Needy(Pass):
        name = "needy"
        must: int
        also_must: int

    return [*map(_simple, SIMPLE), Fail, Crash, Set, Count, Report, Knobs, Needy]


@pytest.fixture
def adapter() -> ToyAdapter:
    """The toy IR's adapter."""
    return ToyAdapter()


@pytest.fixture
def registry() -> PassRegistry:
    """A registry with the passes above."""
    registry = PassRegistry()
    for pass_class in _passes():
        registry.register(pass_class)
    return registry


@pytest.fixture
def make(registry: PassRegistry) -> Callable[..., Pass[Any]]:
    """Makes a pass from its name and options."""

    def make(name: str, **options: Any) -> Pass[Any]:
        info = registry.lookup_pass(name)
        assert info is not None
        return info.pass_class(**options)

    return make


@pytest.fixture
def parse(registry: PassRegistry, adapter: ToyAdapter) -> Callable[[str], PassManager]:
    """Parses a pipeline over the toy IR."""

    def parse(text: str) -> PassManager:
        return PassManager.parse(text, registry=registry, adapter=adapter)

    return parse


@pytest.fixture
def trace(
    parse: Callable[[str], PassManager], adapter: ToyAdapter
) -> Callable[[str, str], list[str]]:
    """Runs a pipeline on IR and returns `pass @op` in the order in which passes started.

    A failed run ends the list with its failures, as `kind pass @op`.
    """

    def trace(pipeline: str, ir: str) -> list[str]:
        recorder = EventRecorder()
        pm = parse(pipeline)
        pm.add_instrumentation(recorder)
        failures: list[str] = []
        try:
            pm.run(parse_toy(ir))
        except PassFailedError as error:
            failures = [f"{f.kind} @{f.symbol or f.op_name}" for f in error.failures]
        starts = [e.removeprefix("before-pass ") for e in recorder.events if "before-pass" in e]
        return [start for start in starts if start[0] != "["] + failures

    return trace
