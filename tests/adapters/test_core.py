"""The core does the same over every adapter: nesting, failures, verification, dialects, hooks."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import pytest
from event_recorder import FullEventRecorder
from subjects import MLIRSubject, ToySubject, XDSLSubject
from xdsl.ir import Operation

from passel import (
    AnchorError,
    InterfacePass,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
)
from passel.testing import Callable_, ToyOp

if TYPE_CHECKING:
    from subjects import Subject

    from passel.ir import IRAdapter, OpKind


@cache
def _subject(kind: type[Subject]) -> Subject:
    return kind()


def subject_of(op: Any) -> Subject:
    """Return what an op is of, in any process."""
    kinds = {ToyOp: ToySubject, Operation: XDSLSubject}
    found = (kind for each, kind in kinds.items() if isinstance(op, each))
    return _subject(next(found, MLIRSubject))


class Visit(Pass[Any]):
    """Reports the symbols of the ops that it is run on, and changes those that its script names."""

    name = "visit"
    fail: str = ""
    change: str = ""
    break_: str = ""
    break_and_preserve: bool = False

    def run(self, op: Any, ctx: PassContext) -> None:
        """Look at the op's symbol."""
        subject = subject_of(op)
        symbol = subject.adapter.symbol_name(op) or subject.adapter.kind_of(op).name
        ctx.emit_remark(symbol)
        if symbol == self.change:
            subject.change(op)
        if symbol == self.break_:
            subject.break_(op)
        if self.break_and_preserve:
            ctx.preserve_all()
        if symbol == self.fail:
            raise PassFailure("told to")


class NeedsDialect(Visit):
    """Needs a dialect."""

    name = "needs-dialect"


class OnCallable(InterfacePass[Callable_]):
    """Runs on what implements an interface, in any IR."""

    name = "on-callable"

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Ask for the interface of the IR under test."""
        return kind.implements(current[0].interface or type)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Report it."""
        ctx.emit_remark(subject_of(op).adapter.symbol_name(op) or "")


current: list[Subject] = []


@pytest.fixture(autouse=True)
def choose(subject: Subject) -> None:
    """Tell the passes which IR they run on; passes themselves are frozen."""
    current[:] = [subject]


@pytest.fixture
def adapter(subject: Subject) -> IRAdapter:
    """The adapter under test."""
    return subject.adapter


def test_any(subject: Subject, manager: PassManager, run: Any, visited: list[str]) -> None:
    """`any` takes what is registered and isolated, and passes over the rest."""
    manager.nest("any").add(Visit())
    run(manager)
    assert visited == ["f", "inner", "k"]


def test_interfaces(manager: PassManager, run: Any, visited: list[str]) -> None:
    """A pass that asks for an interface runs only on ops that implement it."""
    manager.nest("any").add(OnCallable())
    run(manager)
    assert visited == ["f", "k"]


@pytest.mark.parametrize(
    ("role", "message"),
    [("region", "not marked as 'IsolatedFromAbove'"), ("unknown", "no registered operation")],
)
def test_anchors_refused(subject: Subject, manager: PassManager, role: str, message: str) -> None:
    """What is not isolated or not registered cannot anchor passes."""
    manager.add_nested(subject.names[role], Visit())
    with pytest.raises(AnchorError, match=message):
        manager.check(subject.adapter)


def test_misspelt_anchor(subject: Subject, manager: PassManager) -> None:
    """A misspelt anchor is met with a suggestion."""
    name, suggestion, _ = subject.misspelt
    manager.add_nested(name, Visit())
    with pytest.raises(AnchorError, match=f"did you mean '{suggestion}'"):
        manager.check(subject.adapter)


def test_siblings_of_failures(
    subject: Subject, manager: PassManager, run: Any, visited: list[str]
) -> None:
    """After a failure the op's other passes are skipped, its siblings are not."""
    manager.add_nested(subject.names["func"], Visit(fail="f"), Visit()).add(Visit())
    with pytest.raises(PassFailedError) as caught:
        run(manager)
    assert visited == ["f", "k", "k"]
    (failure,) = caught.value.failures
    assert (failure.kind, failure.op_name, failure.symbol) == ("failed", subject.names["func"], "f")
    assert "told to" in str(failure)


def test_broken_ir(subject: Subject, manager: PassManager, run: Any, visited: list[str]) -> None:
    """IR that a pass broke is found right after it, and the op is named."""
    func, module = subject.names["func"], subject.names["module"]
    manager.nest(module).add_nested(func, Visit(break_="h"), Visit())
    with pytest.raises(PassFailedError) as caught:
        run(manager)
    assert visited == ["g", "g", "h"]
    (failure,) = caught.value.failures
    assert (failure.kind, failure.op_name, failure.symbol) == ("invalid", func, "h")
    assert str(failure.diagnostic.message).startswith(f"'{func}' op ")


@pytest.mark.parametrize("mode", [True, "always"])
def test_preserved(
    subject: Subject,
    manager: PassManager,
    run: Any,
    visited: list[str],
    mode: bool | Literal["always"],
) -> None:
    """IR that a pass broke does not get out behind a claim to have preserved everything."""
    manager.enable_verifier(mode)
    manager.add_nested(subject.names["func"], Visit(break_="f", break_and_preserve=True))
    with pytest.raises(PassFailedError) as caught:
        run(manager)
    assert visited == ["f", "k"]
    (failure,) = caught.value.failures
    assert "visit" in failure.pass_text


def test_changed(subject: Subject, manager: PassManager, program: Any) -> None:
    """A run reports whether the IR is another one, unless verifying costs less than to know."""
    unknown = not subject.adapter.finds_changes
    manager.add_nested(subject.names["func"], Visit(change="k"))
    assert manager.run(program).changed is (None if unknown else True)
    manager.clear()
    manager.add_nested(subject.names["func"], Visit())
    assert manager.run(program).changed is (None if unknown else False)
    manager.clear()
    manager.add_nested(subject.names["func"], Visit(change="k", break_and_preserve=True))
    assert manager.run(program).changed is (None if unknown else True)


@pytest.mark.parametrize("is_known", [True, False])
def test_dependent_dialects(
    subject: Subject,
    manager: PassManager,
    run: Any,
    visited: list[str],
    monkeypatch: pytest.MonkeyPatch,
    is_known: bool,
) -> None:
    """Dialects are loaded before anything runs, and a missing one is an error that names the pass."""
    dialect = subject.dialect if is_known else subject.misspelt[2]
    monkeypatch.setattr(NeedsDialect, "dependent_dialects", (dialect,))
    manager.add_nested(subject.names["func"], NeedsDialect())
    if is_known:
        run(manager)
    else:
        with pytest.raises(AnchorError, match=f"'needs-dialect' depends on dialect '{dialect}'"):
            run(manager)
    assert visited == (["f", "k"] if is_known else [])


def test_order(subject: Subject, manager: PassManager, program: Any, act: Any) -> None:
    """Hooks of runs, steps, pipelines, passes and verification are nested; gates skip inside of them."""
    func, module = subject.names["func"], subject.names["module"]
    recorder = FullEventRecorder()
    manager.add_instrumentation(recorder)
    manager.enable_verifier("always")
    manager.add_gate(lambda _step, op: subject.adapter.symbol_name(op) != "k")
    manager.add_nested(func, act())
    manager.run(program)
    assert [event for event in recorder.events if not event.endswith("@top")] == [
        f"before-pipeline {func} @f",
        "before-pass act @f",
        "before-verification act @f",
        "after-verification act @f",
        "after-pass act @f",
        f"after-pipeline {func} @f",
        f"before-pipeline {func} @k",
        "before-pass act @k",
        "pass-skipped act @k",
        "after-pass act @k",
        f"after-pipeline {func} @k",
    ]
    enclosing = [event for event in recorder.events if event.endswith("@top")]
    assert enclosing[:2] == [f"before-run {module} @top", f"before-pass [{func}] @top"]
    assert enclosing[-2:] == [f"after-pass [{func}] @top", f"after-run {module} @top"]


def test_dynamic(
    subject: Subject, manager: PassManager, run: Any, visited: list[str], act: Any
) -> None:
    """A pass runs pipelines on its op and on ops inside, if they are for such ops."""
    on_module = PassManager(subject.names["module"], adapter=subject.adapter).add(Visit())
    on_function = PassManager(subject.names["func"], adapter=subject.adapter).add(Visit())

    def look(op: Any, ctx: PassContext) -> None:
        assert ctx.run_pipeline(on_module)
        assert ctx.run_pipeline(on_function, subject.adapter.children(op)[0])
        with pytest.raises(AnchorError, match="can't run"):
            ctx.run_pipeline(on_function)

    manager.add(act(look))
    run(manager)
    assert visited == ["top", "f"]


class Fact:
    """An analysis."""

    def __init__(self, op: Any) -> None:
        self.op = op


def test_dead_ops(subject: Subject, manager: PassManager, program: Any, act: Any) -> None:
    """Analyses of ops that were moved away are not mistaken for those of others."""

    def look(op: Any, ctx: PassContext) -> None:
        first, *_, module, last = subject.adapter.children(op)
        known = ctx.child_analysis(Fact, first)
        subject.move(first, module)
        assert ctx.child_analysis(Fact, last) is not known
        ctx.preserve(Fact)

    manager.add(act(look), act())
    manager.run(program)
