"""The exact order of hooks for `module(P, func(F))` over @a and @b, whatever fails, and where.

The expected orders are those of `mlir::PassInstrumentation`, with hooks that always pair.
"""

from __future__ import annotations

import gc
import logging
import pickle
import threading
import time
import weakref
from contextlib import suppress
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest
from xdsl.dialects.builtin import UnitAttr

from passel import Pass, PassContext, PassFailedError, PassFailure, PassInstrumentation, PassManager
from passel.instruments.ir_printer import PrintIR
from passel.testing import EventRecorder, FullEventRecorder, ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Operation

    from passel.ir import IRAdapter

# -- Two IRs that can be changed and broken --------------------------------------------------


class Language(NamedTuple):
    """What a test needs of an IR."""

    adapter: IRAdapter
    module: str
    func: str
    make: Callable[[], Any]
    change: Callable[[Any], None]
    spoil: Callable[[Any], None]


def _toy_change(op: ToyOp) -> None:
    op.value += 1


def _toy_spoil(op: ToyOp) -> None:
    op.value = -1


def _xdsl_change(op: Operation) -> None:
    op.attributes["seen"] = UnitAttr()


def _xdsl_spoil(op: Operation) -> None:
    inner = op if op.name == "func.func" else XDSLAdapter().children(op)[0]
    block = cast("FuncOp", inner).body.block
    assert block.last_op is not None
    block.erase_op(block.last_op)


def _xdsl_module() -> Operation:
    text = "func.func @a() { return } func.func @b() { return }"
    return parse_source(XDSLAdapter().create_context(), text, "in.mlir")


LANGUAGES = {
    "toy": Language(
        ToyAdapter(),
        "toy.module",
        "toy.func",
        lambda: parse_toy("toy.module(toy.func @a,toy.func @b)"),
        _toy_change,
        _toy_spoil,
    ),
    "xdsl": Language(
        XDSLAdapter(), "builtin.module", "func.func", _xdsl_module, _xdsl_change, _xdsl_spoil
    ),
}

# -- Passes that fail where they are told to -------------------------------------------------


class Facts:
    """An analysis that can fail."""

    how = ""

    def __init__(self, op: Any) -> None:
        symbol = LANGUAGES["toy" if isinstance(op, ToyOp) else "xdsl"].adapter.symbol_name(op)
        self.how = PLAN.get(symbol or "module", "")
        if self.how == "analysis":
            raise PassFailure("no facts")
        if self.how == "analysis crashes":
            raise ZeroDivisionError

    def is_invalidated(self, preserved: object) -> bool:
        """Fail if that is wanted."""
        if self.how == "invalidation":
            raise PassFailure("cannot tell")
        if self.how == "invalidation crashes":
            raise ZeroDivisionError
        return True


PLAN: dict[str, str] = {}
"""How to fail, by symbol."""


class Step(Pass[Any, str]):
    """Looks at facts, and changes the op or fails."""

    name = "step"

    def initialize(self, ir_context: object) -> str:
        """Fail if that is wanted."""
        how = PLAN.get(self.name, "")
        if how == "initialize":
            raise PassFailure("cannot start")
        if how == "initialize crashes":
            raise ZeroDivisionError
        return "ready"

    def run(self, op: Any, ctx: PassContext[str]) -> None:
        """Look, and change or fail."""
        assert ctx.state == "ready"
        language = LANGUAGES["toy" if isinstance(op, ToyOp) else "xdsl"]
        how = PLAN.get(language.adapter.symbol_name(op) or "module", "")
        ctx.analysis(Facts)
        if how == "fail":
            raise PassFailure("no")
        if how == "crash":
            raise ZeroDivisionError
        if how == "interrupt":
            raise KeyboardInterrupt
        (language.spoil if how == "invalid" else language.change)(op)


class P(Step):
    """The first."""

    name = "p"


class F(Step):
    """The nested one."""

    name = "f"


def observed(language: Language, plan: dict[str, str]) -> list[str]:
    """Run `module(P, func(F))` and return all events, with the IR's names shortened."""
    PLAN.clear()
    PLAN.update(plan)
    recorder = FullEventRecorder()
    pm = PassManager(language.module, adapter=language.adapter).add(P())
    pm.nest(language.func).add(F())
    pm.add_instrumentation(recorder)
    with suppress(PassFailedError, KeyboardInterrupt):
        pm.run(language.make())
    return [
        event.replace(language.module, "module").replace(language.func, "func")
        for event in recorder.events
    ]


# -- The table -------------------------------------------------------------------------------

START = ["before-run module module"]
P_STARTS = [
    "before-pass p module",
    "before-analysis Facts module",
    "after-analysis Facts module",
]
P_VERIFIED = ["before-verification p module", "after-verification p module"]
P_DONE = [*P_STARTS, *P_VERIFIED, "after-change p module", "after-pass p module"]
P_FAILED = ["after-pass-failed p module", "after-run-failed module module"]
ALL_STARTS = ["before-pass [func] module"]
ALL_DONE = [
    "before-verification [func] module",
    "after-verification [func] module",
    "after-pass [func] module",
    "after-run module module",
]
ALL_FAILED = ["after-pass-failed [func] module", "after-run-failed module module"]


def f_starts(op: str) -> list[str]:
    """What comes before F fails on an op."""
    return [
        f"before-pipeline func {op}",
        f"before-pass f {op}",
        f"before-analysis Facts {op}",
        f"after-analysis Facts {op}",
    ]


def f_verified(op: str) -> list[str]:
    """What comes when F has ended on an op, and not failed by itself."""
    return [f"before-verification f {op}", f"after-verification f {op}"]


def f_done(op: str) -> list[str]:
    """What comes for an op on which F succeeds."""
    return [
        *(*f_starts(op), *f_verified(op), f"after-change f {op}"),
        *(f"after-pass f {op}", f"after-pipeline func {op}"),
    ]


def f_failed(op: str, how: str) -> list[str]:
    """What comes for an op on which F fails."""
    verified = f_verified(op) if how == "invalid" else []
    end = [f"after-pass-failed f {op}", f"after-pipeline-failed func {op}"]
    return [*f_starts(op), *verified, *end]


RUNNING = [
    *("fail", "crash", "invalid", "analysis", "analysis crashes"),
    *("invalidation", "invalidation crashes"),
]
languages = pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)


@languages
def test_all_succeed(language: Language) -> None:
    """The order of `mlir::PassInstrumentation`, with the hooks that MLIR does not have."""
    assert observed(language, {}) == [
        *(*START, *P_DONE, *ALL_STARTS, *f_done("@a"), *f_done("@b"), *ALL_DONE),
    ]


@languages
@pytest.mark.parametrize("how", RUNNING)
def test_the_first_pass_fails(language: Language, how: str) -> None:
    """Nothing behind it starts; it is verified only if it has ended by itself."""
    verified = P_VERIFIED if how == "invalid" else []
    assert observed(language, {"module": how}) == [*START, *P_STARTS, *verified, *P_FAILED]


@languages
@pytest.mark.parametrize("how", RUNNING)
def test_the_nested_pass_fails_on_the_first_op(language: Language, how: str) -> None:
    """Its pipeline ends as failed, the other op is processed, the step ends as failed."""
    assert observed(language, {"a": how}) == [
        *(*START, *P_DONE, *ALL_STARTS, *f_failed("@a", how), *f_done("@b"), *ALL_FAILED),
    ]


@languages
@pytest.mark.parametrize("how", RUNNING)
def test_the_nested_pass_fails_on_the_last_op(language: Language, how: str) -> None:
    """What went before is as usual, the step ends as failed."""
    assert observed(language, {"b": how}) == [
        *(*START, *P_DONE, *ALL_STARTS, *f_done("@a"), *f_failed("@b", how), *ALL_FAILED),
    ]


@languages
@pytest.mark.parametrize("first", RUNNING)
@pytest.mark.parametrize("second", RUNNING)
def test_the_nested_pass_fails_on_both_ops(language: Language, first: str, second: str) -> None:
    """Each in its way: neither changes what is reported of the other."""
    expected = [*f_failed("@a", first), *f_failed("@b", second)]
    assert observed(language, {"a": first, "b": second}) == [
        *(*START, *P_DONE, *ALL_STARTS, *expected, *ALL_FAILED),
    ]


@languages
@pytest.mark.parametrize("how", ["initialize", "initialize crashes"])
@pytest.mark.parametrize("name", ["p", "f"])
def test_a_pass_cannot_be_initialized(language: Language, how: str, name: str) -> None:
    """The run starts and ends as failed, and nothing else happens."""
    assert observed(language, {name: how}) == [*START, "after-run-failed module module"]


@languages
def test_an_interrupt_ends_everything_that_has_begun(language: Language) -> None:
    """From the inside out, each as failed; the sibling does not start."""
    assert observed(language, {"a": "interrupt"}) == [
        *(*START, *P_DONE, *ALL_STARTS, *f_failed("@a", "interrupt"), *ALL_FAILED),
    ]


# -- Interrupts at awkward moments -----------------------------------------------------------


class Impatient(ToyAdapter):
    """Interrupts at the nth time that it is asked for a fingerprint."""

    def __init__(self, at: int) -> None:
        self.left = at

    def fingerprint(self, op: ToyOp, *, recursive: bool = True) -> object:
        """Count down; what is nested in the op is not counted."""
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().fingerprint(op, recursive=recursive)


def pairs(events: list[str]) -> bool:
    """Return whether each event that begins something is ended by its counterpart."""
    begun: list[str] = []
    for event in events:
        word, _, rest = event.partition(" ")
        if word.startswith("before-"):
            begun.append(f"{word.removeprefix('before-')} {rest}")
        elif word not in ("after-change", "pass-skipped"):
            what = word.removeprefix("after-").removesuffix("-failed")
            if not begun or begun.pop() != f"{what} {rest}":
                return False
    return not begun


@pytest.mark.parametrize("verify", [True, False, "always"])
@pytest.mark.parametrize("at", range(1, 14))
def test_hooks_pair_when_a_fingerprint_is_interrupted(at: int, verify: Any) -> None:
    """Looking at a large op takes long enough to be interrupted, before and after passes."""
    PLAN.clear()
    adapter = Impatient(at)
    recorder = FullEventRecorder()
    pm = PassManager("toy.module", adapter=adapter).add(P())
    pm.nest("toy.func").add(F())
    pm.enable_verifier(verify)
    pm.enable_analysis_verifier()
    pm.add_instrumentation(recorder)
    with suppress(KeyboardInterrupt):
        pm.run(parse_toy("toy.module(toy.func @a,toy.func @b)"))
    assert pairs(recorder.events), recorder.events


def test_hooks_pair_when_reporting_a_failure_raises() -> None:
    """A diagnostic handler may be interrupted, or lose its terminal."""
    PLAN.clear()
    PLAN["a"] = "fail"
    recorder = FullEventRecorder()
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(F())
    pm.add_instrumentation(recorder)

    def refuse(diagnostic: object) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        pm.run(LANGUAGES["toy"].make(), on_diagnostic=refuse)
    assert pairs(recorder.events), recorder.events


# -- What the framework promises to authors --------------------------------------------------


def test_a_scope_ends_also_when_its_body_raises() -> None:
    """Behind the `with` statement, what observed inside it does no longer."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(P())
    PLAN.clear()
    inner, outer = EventRecorder(), EventRecorder()
    with suppress(ZeroDivisionError), pm.instrument(outer):
        with suppress(LookupError), pm.instrument(inner):
            pm.run(parse_toy("toy.module"))
            raise LookupError
        pm.run(parse_toy("toy.module"))
        raise ZeroDivisionError
    pm.run(parse_toy("toy.module"))
    assert len(inner.events) * 2 == len(outer.events) > 0


class Alone(PassInstrumentation):
    """Finds out whether two of its hooks run at once."""

    def __init__(self) -> None:
        self.busy = False
        self.calls = 0
        self.collisions: int = 0

    def _enter(self, *args: Any, **kwargs: Any) -> None:
        self.collisions += int(self.busy)
        self.busy = True
        time.sleep(0)  # let other threads try
        self.calls += 1
        self.busy = False

    before_run = after_run = before_pass = after_pass = before_pipeline = _enter
    after_pipeline = before_analysis = after_analysis = before_verification = _enter
    after_verification = _enter


def test_hooks_of_one_object_never_overlap() -> None:
    """Four threads with managers of their own share it."""
    PLAN.clear()
    alone, threads = Alone(), 4

    def work() -> None:
        pm = PassManager("toy.module", adapter=ToyAdapter()).add(P())
        pm.nest("toy.func").add(F(), F(), F())
        pm.add_instrumentation(alone)
        for _ in range(10):
            pm.run(LANGUAGES["toy"].make())

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert alone.collisions == 0
    assert alone.calls % (threads * 10) == 0


class Tally(PassInstrumentation):
    """Counts passes by name: an example of what can observe other processes."""

    def __init__(self) -> None:
        self.passes: dict[str, int] = {}

    def split(self) -> Tally:
        """Return an empty one."""
        return Tally()

    def merge(self, child: PassInstrumentation) -> None:
        """Add its counts."""
        assert isinstance(child, Tally)
        for name, count in child.passes.items():
            self.passes[name] = self.passes.get(name, 0) + count

    def before_pass(self, step: Any, op: Any) -> None:
        """Count."""
        self.passes[step.display_name] = self.passes.get(step.display_name, 0) + 1


def test_what_is_split_off_travels_and_is_merged() -> None:
    """It is pickled before and after it has observed, and the counts arrive."""
    PLAN.clear()
    whole = Tally()
    for _ in range(3):
        away = pickle.loads(pickle.dumps(whole.split()))
        pm = PassManager("toy.func", adapter=ToyAdapter()).add(F(), F())
        with pm.instrument(away):
            pm.run(parse_toy("toy.func @f"))
        whole.merge(pickle.loads(pickle.dumps(away)))
    assert whole.passes == {"F": 6}


def test_nothing_is_split_off_by_default() -> None:
    """An instrumentation that does not say how leaves other processes unobserved."""
    assert PassInstrumentation().split() is None


def test_copies_have_a_lock_of_their_own(caplog: pytest.LogCaptureFixture) -> None:
    """An instrumentation that has observed can be copied and pickled, and observes again."""
    PLAN.clear()
    recorder = EventRecorder()
    for _ in range(2):
        pm = PassManager("toy.module", adapter=ToyAdapter()).add(P())
        pm.add_instrumentation(recorder)
        pm.run(parse_toy("toy.module"))
        recorder = pickle.loads(pickle.dumps(recorder))
    assert recorder.events[:4] == recorder.events[4:]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


class Ends(PassInstrumentation):
    """Records how verifications and analyses end."""

    def __init__(self) -> None:
        self.failed: list[tuple[str, bool]] = []

    def after_verification(self, step: Any, op: Any) -> None:
        """Record it."""
        self.failed.append(("verification", self.ended.failed))

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Record it."""
        self.failed.append((name, self.ended.failed))


class Good:
    """An analysis."""

    def __init__(self, op: ToyOp) -> None: ...


class Bad:
    """An analysis that raises."""

    def __init__(self, op: ToyOp) -> None:
        raise ValueError


@pytest.mark.parametrize("fails", [False, True])
def test_hooks_are_told_whether_a_verification_or_an_analysis_has_failed(fails: bool) -> None:
    """Both fail by an exception, which the hook does not see."""

    class Ask(Pass[ToyOp]):
        name = "ask"

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            with suppress(ValueError):
                ctx.analysis(Bad if fails else Good)
            op.value = -1 if fails else 1

    pm, ends = PassManager("toy.module", adapter=ToyAdapter()).add(Ask()), Ends()
    with pm.instrument(ends), suppress(PassFailedError):
        pm.run(parse_toy("toy.module"))
    assert ends.failed == [("Bad" if fails else "Good", fails), ("verification", fails)]


def test_an_instrumentation_lets_go_of_a_run_that_has_ended() -> None:
    """What is added to a manager outlives the ops that it has run on, and keeps none of them."""
    PLAN.clear()
    ended = Ends()
    printer = PrintIR(stream=StringIO(), only_on_change=True)
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(P())
    with pm.instrument(ended), pm.instrument(printer):
        pm.run(module := parse_toy("toy.module"))
        known = weakref.ref(module)
        del module
        gc.collect()
        assert known() is None
