"""Hooks pair, nest, and change nothing: random pipelines, failures, gates and interrupts."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from event_recorder import FullEventRecorder
from hypothesis import given
from hypothesis import strategies as st

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassInstrumentation,
    PassManager,
)
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


INTERRUPTS_VERIFICATION = 99


class Adapter(ToyAdapter):
    """Is interrupted when it verifies an op of a certain value."""

    def verify(self, op: ToyOp, *, recursive: bool) -> None:
        """Verify, or be interrupted."""
        if op.value == INTERRUPTS_VERIFICATION:
            raise KeyboardInterrupt
        super().verify(op, recursive=recursive)


ADAPTER = Adapter()


class Facts:
    """An analysis, of which the op's value says what goes wrong."""

    how = ""

    def __init__(self, op: ToyOp) -> None:
        if Facts.how == "analysis fails":
            raise PassFailure
        if Facts.how == "analysis crashes":
            raise ValueError
        if Facts.how == "analysis is interrupted":
            raise KeyboardInterrupt

    def is_invalidated(self, preserved: object) -> bool:
        """Say yes, or raise."""
        if Facts.how == "invalidation crashes":
            raise ValueError
        return True


WAYS = [
    *("nothing", "change", "fail", "crash", "invalid", "hide", "hide change", "interrupt"),
    *("interrupt verification", "analysis", "analysis fails", "analysis crashes"),
    *("analysis is interrupted", "invalidation crashes", "dynamic", "dynamic fails"),
]


class Act(Pass):
    """Does something, perhaps on one op only."""

    name = "act"
    how: str = "nothing"
    at: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:  # noqa: C901 - one way after the other
        """Do what is wanted."""
        Facts.how = ""
        if self.at not in ("", op.symbol):
            return
        match self.how:
            case "nothing":
                pass
            case "fail":
                raise PassFailure
            case "crash":
                raise ValueError
            case "interrupt":
                raise KeyboardInterrupt
            case "interrupt verification":
                op.value = INTERRUPTS_VERIFICATION
            case "invalid":
                op.value = -1
            case "dynamic" | "dynamic fails":
                inner = Act(how="fail" if "fails" in self.how else "change")
                ctx.run_pipeline(OpPassManager("any").add(inner))
            case how if how.startswith("hide"):
                ctx.preserve_all()
                op.value += int("change" in how) or -1000
            case how:
                op.value += 1
                if how != "change":
                    Facts.how = how
                    ctx.analysis(Facts)


SYMBOLS = ["a", "b", "c", "d"]
acts = st.builds(Act, how=st.sampled_from(WAYS), at=st.sampled_from(["", *SYMBOLS]))


def managers(depth: int) -> st.SearchStrategy[OpPassManager]:
    """Nested managers of at most this depth."""
    entries = acts | managers(depth - 1) if depth else acts

    def make(anchor: str, found: list[Any]) -> OpPassManager:
        return OpPassManager(anchor).add(*found)

    anchors = st.sampled_from(["toy.module", "toy.func", "any"])
    return st.builds(make, anchors, st.lists(entries, max_size=3))


@st.composite
def modules(draw: st.DrawFn) -> ToyOp:
    """A module of a few ops."""
    root = ToyOp("toy.module", "root")
    ops = [root]
    for symbol in SYMBOLS[: draw(st.integers(1, 4))]:
        name = draw(st.sampled_from(["toy.func", "toy.module"]))
        ops.append(draw(st.sampled_from(ops)).add(ToyOp(name, symbol)))
    return root


class Case(NamedTuple):
    """A run without its instrumentations."""

    entries: list[Any]
    module: ToyOp
    verify: Any
    gate: str

    def run(self, *instrumentations: PassInstrumentation) -> tuple[str, str]:
        """Run on a copy, and return how it went and what the IR is then."""
        pm = PassManager("toy.module", adapter=ADAPTER).add(*self.entries)
        pm.enable_verifier(self.verify)
        if self.gate:
            pm.add_gate(self._admits)
        module = clone(self.module)
        try:
            for each in instrumentations:
                pm.add_instrumentation(each)
            result = str(pm.run(module))
        except (PassFailedError, KeyboardInterrupt, SystemExit, GeneratorExit) as error:
            result = f"{type(error).__name__} {error} {getattr(error, '__notes__', [])}"
        return result, str(module)

    def _admits(self, step: Any, op: ToyOp) -> bool:
        if self.gate == "raises" and op.symbol == "b":
            raise ValueError
        return op.symbol != self.gate


cases = st.builds(
    Case,
    st.lists(acts | managers(2), max_size=5),
    modules(),
    st.sampled_from([True, False, "always"]),
    st.sampled_from(["", "root", "a", "b", "raises"]),
)


def clone(op: ToyOp) -> ToyOp:
    """Copy an op with all that is in it."""
    copy = ToyOp(op.name, op.symbol, value=op.value)
    for inner in op.body:
        copy.add(clone(inner))
    return copy


class Listener(FullEventRecorder):
    """Records all hooks, also in a log that it shares with others."""

    def __init__(self, number: int, log: list[tuple[str, int]]) -> None:
        super().__init__()
        self.number, self.log = number, log

    def _record(self, event: str, what: str, op: Any) -> None:
        super()._record(event, what, op)
        self.log.append((self.events[-1], self.number))


def _calls_that_may_raise(name: str) -> Callable[..., None]:
    def hook(self: Raiser, *args: Any, **kwargs: Any) -> None:
        getattr(Listener, name)(self, *args, **kwargs)
        self.left -= 1
        if self.left == 0:
            raise self.error

    return hook


class Raiser(Listener):
    """Raises in its nth call, whichever hook that is."""

    error: type[BaseException] = RuntimeError

    def __init__(self, number: int, log: list[tuple[str, int]], at: int) -> None:
        super().__init__(number, log)
        self.left = at


for _name in vars(PassInstrumentation):
    if _name.startswith(("before_", "after_", "pass_")):
        setattr(Raiser, _name, _calls_that_may_raise(_name))


class Interrupter(Raiser):
    """Raises an interrupt or the verdict of a pass."""

    def __init__(self, at: int, error: type[BaseException]) -> None:
        super().__init__(0, [], at)
        self.error = error


class _Counting(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "failed and is disabled" in record.getMessage()


@contextmanager
def reports() -> Generator[_Counting]:
    """Count how often an instrumentation is reported, and keep it from being printed."""
    log, handler = logging.getLogger("passel"), _Counting()
    propagate, log.propagate = log.propagate, False
    log.addHandler(handler)
    try:
        yield handler
    finally:
        log.removeHandler(handler)
        log.propagate = propagate


def check_nesting(events: list[str], *, ends: bool = True) -> None:
    """Assert that everything that begins ends, from the inside out, if the events go on to the end."""
    begun: list[tuple[str, str]] = []
    for event in events:
        word, _, rest = event.partition(" ")
        if word.startswith("before-"):
            begun.append((word.removeprefix("before-"), rest))
        elif word in ("after-change", "pass-skipped"):
            assert begun[-1] == ("pass", rest), events
        else:
            what = word.removeprefix("after-").removesuffix("-failed")
            assert begun.pop() == (what, rest), events
    assert not begun or not ends, events


def check_order(log: list[tuple[str, int]], numbers: list[int]) -> None:
    """Assert that before-hooks run in order of registration and after-hooks in reverse."""
    # The outcome of a pass is reported together with its end.
    ends = (entry for entry in log if not entry[0].startswith(("after-change", "pass-skipped")))
    for event, group in groupby(ends, key=lambda entry: entry[0]):
        called = [number for _, number in group]
        once = numbers[::-1] if event.startswith("after-") else numbers
        assert called == once * (len(called) // len(once)), (event, called)


@given(cases)
def test_hooks_of_all_instrumentations_pair_and_nest(case: Case) -> None:
    """Whatever fails, is skipped or interrupted; and to watch it changes nothing."""
    log: list[tuple[str, int]] = []
    listeners = [Listener(0, log), Listener(1, log), Listener(2, log)]
    watched = case.run(*listeners)
    for listener in listeners:
        check_nesting(listener.events)
        assert listener.events == listeners[0].events
    check_order(log, [0, 1, 2])
    assert watched == case.run()


@given(cases, st.lists(st.integers(1, 40), min_size=1, max_size=3), st.integers(0, 3))
def test_what_raises_is_reported_once_and_left_alone(
    case: Case, moments: list[int], place: int
) -> None:
    """Others see what they see without it; the run and the IR are the same."""
    log: list[tuple[str, int]] = []
    raisers = [Raiser(number, log, at) for number, at in enumerate(moments)]
    listener, alone = Listener(9, []), Listener(9, [])
    everyone: list[PassInstrumentation] = [*raisers]
    everyone.insert(place, listener)
    with reports() as reported:
        watched = case.run(*everyone)
    assert watched == case.run(alone) == case.run()
    assert listener.events == alone.events
    assert reported.count == sum(raiser.left == 0 for raiser in raisers)
    for raiser, at in zip(raisers, moments, strict=True):
        assert raiser.left >= 0
        assert raiser.events == alone.events[:at]


interrupters = st.builds(
    Interrupter,
    st.sampled_from([*range(1, 12), *range(12, 90)]),
    st.sampled_from([KeyboardInterrupt, SystemExit, GeneratorExit, ValueError, PassFailure]),
)


@given(cases, st.lists(interrupters, min_size=3, max_size=3))
def test_hooks_pair_whatever_interrupts_them(case: Case, raising: list[Interrupter]) -> None:
    """What began ends once for each of three that raise in any hook, inside out."""
    with reports():
        case.run(*raising)
    for each in raising:
        is_disabled = each.left <= 0 and issubclass(each.error, Exception)
        check_nesting(each.events, ends=not is_disabled)


class Comparing(PassInstrumentation):
    """Holds `Ended.changed` against fingerprints of its own."""

    finds_changes = True

    def __init__(self) -> None:
        self.before: list[object] = []

    def before_pass(self, step: Any, op: ToyOp) -> None:
        """Look."""
        self.before.append(ADAPTER.fingerprint(op))

    def after_pass(self, step: Any, op: ToyOp) -> None:
        """Compare."""
        changed = self.before.pop() != ADAPTER.fingerprint(op)
        assert self.ended.changed == (changed and step.pass_ is not None)

    def after_pass_failed(self, step: Any, op: ToyOp, failure: object) -> None:
        """Changes by passes that fail are not reported."""
        self.before.pop()
        assert not self.ended.changed


@given(cases)
def test_a_change_is_told_exactly_if_the_fingerprint_differs(case: Case) -> None:
    """However the IR is verified, and whatever passes say that they preserve."""
    with reports() as reported:
        case.run(Comparing())
    assert reported.count == 0, "a comparison failed"
