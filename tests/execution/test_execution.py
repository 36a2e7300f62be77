"""What happens to one op, in which order, how failures spread, and what is reported."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from toy_steps import events, failed_run, manager, pipeline, step

import passel
from passel import (
    Diagnostic,
    Location,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassInstrumentation,
    PassManager,
    Severity,
)
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

FUNCS = "toy.module(toy.func @f,toy.func @g,toy.func @h)"


# -- How failures spread ---------------------------------------------------------------------


def test_every_failure_is_reported_in_program_order(parse: Callable[[str], PassManager]) -> None:
    """The error has all failures, and prints some of those that differ in more than the op."""
    error = failed_run(parse("toy.module(toy.func(fail{why=no}))"), FUNCS)
    assert [failure.symbol for failure in error.failures] == ["f", "g", "h"]
    fail = "op pass 'fail{why=no}' failed: no [toy.module/toy.func/0:fail on @f]"
    assert str(error) == f"<unknown>:0: 'toy.func' {fail}\nand 2 more like it: @g, @h"
    assert error.__cause__ is error.failures[0].cause


# -- What a failure tells --------------------------------------------------------------------


def test_a_failure_names_pass_options_op_and_path(parse: Callable[[str], PassManager]) -> None:
    """All that one needs to find the culprit is in the failure."""
    error = failed_run(parse("toy.module(toy.func(a,fail{why=nope at=g}))"), FUNCS)
    (failure,) = error.failures
    assert failure.kind == "failed"
    assert failure.pass_text == "fail{at=g why=nope}"  # noqa: S105 - no password
    assert failure.path == "toy.module/toy.func/1:fail"
    assert (failure.op_name, failure.symbol, failure.where) == ("toy.func", "g", "'toy.func' @g")
    assert failure.diagnostic.severity is Severity.ERROR
    assert failure.diagnostic.message == "'toy.func' op pass 'fail{at=g why=nope}' failed: nope"
    assert isinstance(failure.cause, PassFailure)
    assert error.diagnostics == (failure.diagnostic,)


@pytest.mark.parametrize(
    ("said", "gist"),
    [
        (["no\nand more"], "ValueError: no"),
        (["cannot parse:\n error: 1:5: bad\n more"], "ValueError: cannot parse: error: 1:5: bad"),
        (["\nbelow"], "ValueError: below"),
        ([], "ValueError"),
    ],
)
def test_any_other_exception_is_a_crash(said: list[str], gist: str, adapter: ToyAdapter) -> None:
    """It is the cause; its first line is reported, and the next one if a colon introduces it."""

    def wordy(op: ToyOp, ctx: PassContext) -> None:
        raise ValueError(*said)

    error = failed_run(PassManager(adapter=adapter).add(step(wordy, "wordy")), "toy.module")
    (failure,) = error.failures
    assert failure.kind == "crashed"
    assert failure.diagnostic.message == f"'toy.module' op pass 'wordy' crashed: {gist}"
    assert isinstance(error.__cause__, ValueError)
    assert error.__cause__.__traceback__ is not None


def test_a_failure_has_the_place_of_its_op_and_the_diagnostic_that_of_the_culprit() -> None:
    """Where a pass ran and what it blames are two places, each of the nearest op that has one."""
    places = {"m": Location("in.toy", 3, 7), "g": Location("in.toy", 4, 1)}

    class Placed(ToyAdapter):
        def location(self, op: ToyOp) -> Location:
            return places.get(op.symbol or "", Location())

    def blame(op: ToyOp, ctx: PassContext) -> None:
        raise PassFailure("bad", op=op.body[0].body[0])

    pm = manager(pipeline(step(blame, "blame")), adapter=Placed())
    error = failed_run(pm, "toy.module @m(toy.func @f(toy.func @g(toy.op)))")
    (failure,) = error.failures
    assert (failure.location, failure.diagnostic.location) == (places["m"], places["g"])
    assert str(error).startswith("in.toy:4:1: 'toy.op' op pass 'blame' failed: bad")


# -- Diagnostics and statistics --------------------------------------------------------------


def test_reporting_an_error_is_not_failing() -> None:
    """A pass that emits an error diagnostic without raising succeeds."""

    def complain(op: ToyOp, ctx: PassContext) -> None:
        ctx.emit_error("wrong").attach_note("because")
        ctx.emit_remark("by the way", op.body[0])

    shown: list[Diagnostic] = []
    result = manager(step(complain)).run(parse_toy(FUNCS), on_diagnostic=shown.append)
    error, remark = result.diagnostics
    assert (error.severity, error.message) == (Severity.ERROR, "wrong")
    assert [note.message for note in error.notes] == ["because"]
    assert error.op_text == "toy.module(toy.func @f,toy.func @g,toy.func @h)"
    assert remark.severity is Severity.REMARK
    assert [each.print_op for each in (error, remark)] == [None, None]
    assert shown == [error, remark]


def test_diagnostics_come_in_program_order_with_failures_among_them(
    parse: Callable[[str], PassManager],
) -> None:
    """Reports of passes and of failures are one sequence; hooks are called after the reports."""
    shown: list[str] = []

    class Watch(PassInstrumentation):
        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            shown.append("hook")

    pm = parse("toy.module(toy.func(report,fail{at=g}))")
    pm.add_instrumentation(Watch())
    with pytest.raises(PassFailedError) as info:
        pm.run(parse_toy(FUNCS), on_diagnostic=lambda d: shown.append(d.message))
    assert shown == [
        "warned f",
        "warned g",
        "'toy.func' op pass 'fail{at=g}' failed",
        "hook",
        "warned h",
        "hook",  # of the step that runs the nested pipelines
    ]
    assert [d.message for d in info.value.diagnostics] == [*shown[:3], shown[4]]
    assert info.value.diagnostics[0].severity is Severity.WARNING


def test_ops_that_a_pass_adds_are_processed_by_the_next_step() -> None:
    """A nested pipeline sees the ops that are there when its step starts."""
    grow = step(lambda op, _: op.add(ToyOp("toy.func", "new")), "grow")
    assert "before-pass grow @new" in events(manager(grow, pipeline(grow)))


# -- The way of one pass --------------------------------------------------------------------------


class Nothing(Pass[ToyOp]):
    """Do nothing, and say so or not."""

    says: bool

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Preserve everything."""
        if self.says:
            ctx.preserve_all()


@pytest.mark.parametrize("says", [True, False])
def test_a_pass_that_does_nothing_takes_few_calls(says: bool) -> None:
    """One pass on one function enters at most 60 functions in 15 files."""
    called: set[tuple[str, int]] = set()

    def count(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(passel.__path__[0]):
            called.add((code.co_filename, code.co_firstlineno))

    module = parse_toy("toy.module(toy.func @f)")
    pm = manager(pipeline(Nothing(says=says)))
    pm.run(module, jobs=1)  # compiles the pipeline
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        pm.run(module, jobs=1)
    finally:
        sys.setprofile(before)
    assert len(called) <= 60
    assert len({file for file, _ in called}) <= 15
