"""Outcomes can be pickled, whatever went wrong, and tell the same when they are read."""

from __future__ import annotations

import pickle
import threading
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from passel import (
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassInstrumentation,
    PassManager,
    Statistic,
)
from passel.diagnostics import words_of
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from passel.passes.outcome import Outcome


class Held(Exception):  # noqa: N818 - it is not an error
    """Holds what cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("it holds a lock")
        self.lock = threading.Lock()


class Unreadable(Exception):  # noqa: N818 - it is not an error
    """Can be pickled, but not read back: it wants two arguments and keeps one."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)
        self.two = two


class Mute(Held):
    """Cannot even say what it is."""

    def __str__(self) -> str:
        raise RuntimeError


class Stop(KeyboardInterrupt):
    """An interrupt that cannot be pickled."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


WAYS = ["fine", "fail", "crash", "held", "unreadable", "mute", "invalid", "interrupt", "stop"]


class Act(Pass[Any]):
    """Count, report and perhaps fail."""

    name = "act"
    how: str = "fine"
    seen = Statistic("Seen")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        ctx.count(self.seen)
        ctx.emit_warning("look").attach_note("here")
        match self.how:
            case "fail":
                raise PassFailure("gave up", op=op)
            case "crash":
                raise ZeroDivisionError("of what")
            case "held":
                raise Held
            case "unreadable":
                raise Unreadable("one", "two")
            case "mute":
                raise Mute
            case "interrupt":
                raise KeyboardInterrupt
            case "stop":
                raise Stop
            case "invalid":
                op.value = -1
            case _:
                op.value = 1


class Keep(PassInstrumentation):
    """Keeps the outcome of a run."""

    def after_run(self, run: Any, *, failed: bool) -> None:
        """Take it."""
        self.outcome: Outcome = run.outcome


def run(how: str, *, reads: bool) -> tuple[Outcome, BaseException | None]:
    """Run a pass, and return the outcome and what the run raised."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(Act(), Act(how=how))
    keep, raised, told = Keep(), None, list[Any]().append if reads else None
    pm.add_instrumentation(keep)
    try:
        pm.run(parse_toy("toy.module(toy.func @a)"), on_diagnostic=told)
    except (PassFailedError, KeyboardInterrupt) as error:
        raised = error
    return keep.outcome, raised


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("how", WAYS)
def test_an_outcome_survives(how: str, *, reads: bool) -> None:
    """All but causes is equal; these keep the name of their class, message and traceback as text."""
    outcome = run(how, reads=reads)[0]._replace(preserved=frozenset[Any]({PassFailure, "x"}))
    again: Outcome = pickle.loads(pickle.dumps(outcome))
    assert (again[0], again.counts, again.preserved) == (outcome[0], outcome.counts, {PassFailure})
    assert again.diagnostics == outcome.diagnostics
    assert [each[:-1] for each in again.failures] == [each[:-1] for each in outcome.failures]
    pickle.dumps(again)
    if how in {"fail", "crash", "held", "unreadable", "mute"}:
        was: Any = outcome.failures[0].cause
        cause: Any = again.failures[0].cause
        assert "Traceback (most recent call last)" in str(cause.__cause__)
        assert "test_soundness_pickling.py" in str(cause.__cause__)
        assert (type(cause).__name__, words_of(cause)) == (type(was).__name__, words_of(was))


@pytest.mark.parametrize("how", ["fail", "crash", "held", "invalid"])
def test_the_error_that_a_run_raises_survives(how: str) -> None:
    """With its failures, diagnostics and notes."""
    _, error = run(how, reads=False)
    assert isinstance(error, PassFailedError)
    error.add_note("and more")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.diagnostics == error.diagnostics
    assert again.__notes__ == ["and more"]


def test_a_verdict_leaves_its_op_behind() -> None:
    """Ops belong to their process, and pickling them would take all that is around."""
    failure = PassFailure("no", op=ModuleOp([]), is_reported=True)
    failure.__cause__ = KeyError("why")
    again = pickle.loads(pickle.dumps(failure))
    assert (again.message, again.op, again.is_reported) == ("no", None, True)
    assert repr(again.__cause__) == "KeyError('why')"
    for _ in range(40):  # causes of causes, none of which is pickled twice
        inner, failure = failure, PassFailure("no")
        failure.__cause__ = inner
    assert pickle.loads(pickle.dumps(failure)).message == "no"
