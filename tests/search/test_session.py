"""Sessions: passes one by one, forwards and backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import Pass, PassContext, PasselError, PassFailedError, PassFailure, PassManager
from passel.ir import adapter_named
from passel.ir.frontend import SourcePart, UnreadableError
from passel.manager.reading import frontend_of
from passel.search import Session

if TYPE_CHECKING:
    from passel.ir import IRAdapter

SOURCE = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %c = arith.constant 0 : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.addi %2, %c : i32
  func.return %3 : i32
}
func.func private @unused()
"""
PIPELINE = "builtin.module(func.func(cse,canonicalize),symbol-dce)"


class Refuse(Pass[Any]):
    """Erase everything, then fail."""

    name = "refuse"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail in the middle."""
        for each in list(op.body.block.ops) if hasattr(op.body, "block") else ():
            each.detach()
        raise PassFailure("not this one")


@pytest.fixture(params=["xdsl", "mlir"])
def adapter(request: pytest.FixtureRequest) -> IRAdapter:
    """Return the adapter of each IR."""
    return adapter_named(request.param)


@pytest.fixture
def session(adapter: IRAdapter) -> Session:
    """Return a session at its start."""
    return _session(adapter, PIPELINE)


def _session(adapter: IRAdapter, pipeline: str, *more: Pass[Any]) -> Session:
    frontend = frontend_of(adapter)
    context = frontend.new_context()
    source = f"builtin.module {{{SOURCE}}}"
    op = frontend.parse(SourcePart(source, "input.mlir"), context, lambda _: None).op
    return Session(PassManager.parse(pipeline, context, adapter=adapter).add(*more), op)


def test_steps_do_together_what_one_run_does(adapter: IRAdapter, session: Session) -> None:
    """One pass at a time ends in the IR of a run to the end."""
    other = _session(adapter, PIPELINE)
    other.run_to()
    while not session.is_over:
        session.step()
    assert session.text() == other.text()
    assert session.place == "builtin.module/0:symbol-dce"


def test_going_back_and_on_gives_the_same_ir(session: Session) -> None:
    """States that were passed over are computed again."""
    session.step()
    after_cse = session.text()
    session.run_to()
    end = session.text()
    session.rewind("cse")
    assert session.text() == after_cse
    session.rewind()
    assert session.position == 0
    session.run_to("symbol-dce")
    assert session.text() == end
    session.rewind("canonicalize")  # where it has not stopped
    assert session.place.endswith("1:canonicalize")


def test_a_bookmark_is_a_state_to_come_back_to(session: Session) -> None:
    """It also stands for what was applied or edited there."""
    session.step()
    session.apply("func.func(canonicalize)")
    session.bookmark("tidy")
    text = session.text()
    session.run_to()
    session.rewind("tidy")
    assert session.text() == text
    assert session.diff("tidy") == ""


def test_a_diff_is_about_the_last_stop_or_a_state(session: Session) -> None:
    """It is of all the IR, or of one op."""
    session.step()
    assert "-  %1 = arith.addi" in session.diff(symbol="@f")
    session.step()
    assert "arith.muli" in session.text("f")
    session.bookmark("now")
    session.run_to()
    assert "-  %1 = arith.addi" not in session.diff("now")
    assert "@unused" in session.diff("now")


def test_a_notebook_shows_how_far_a_session_is(session: Session) -> None:
    """Behind the pass that has run last is what has changed since the last stop."""
    shown: Any = session
    assert "has run" in shown._repr_mimebundle_()["text/plain"]
    session.step()
    session.step()
    bundle = shown._repr_mimebundle_()
    assert [line.split() for line in bundle["text/plain"].splitlines()[1:]] == [
        ["builtin.module/func.func/0:cse", "yes"],
        ["builtin.module/func.func/1:canonicalize", "yes"],
        ["builtin.module/0:symbol-dce"],
    ]
    head, _, tail = bundle["text/html"].partition("1:canonicalize</code></summary>")
    assert "<summary>" in head
    assert "<pre" not in head
    assert "since the last stop\n<span" in tail


def test_what_was_edited_takes_the_place_of_the_ir(session: Session) -> None:
    """The passes behind run on it."""
    session.step()
    session.replace(session.text().replace("muli", "subi"))
    session.run_to()
    assert "arith.muli" not in session.text()


@pytest.mark.parametrize("text", ["builtin.module {", "builtin.module { func.func @f( }"])
def test_ir_that_is_not_valid_is_refused(session: Session, text: str) -> None:
    """The error says where, and nothing has changed."""
    before = session.text()
    with pytest.raises(UnreadableError) as raised:
        session.replace(text, "edited.mlir")
    assert raised.value.diagnostics[0].location.file == "edited.mlir"
    assert session.text() == before


def test_ir_of_another_op_is_refused(session: Session) -> None:
    """The pipeline could not run on it."""
    with pytest.raises(PasselError, match=r"'func.func', and the pipeline runs on a 'builtin.mod"):
        session.replace("func.func private @f()")


def test_a_pass_that_fails_leaves_the_session_where_it_was(adapter: IRAdapter) -> None:
    """What it did to the IR before it failed is taken back."""
    session = _session(adapter, "builtin.module(func.func(cse))", Refuse())
    session.step()
    before = session.text()
    with pytest.raises(PassFailedError):
        session.step()
    assert session.text() == before
    assert session.place.endswith("0:cse")
    session.apply("func.func(canonicalize)")


def test_a_session_goes_neither_back_by_running_nor_on_by_rewinding(session: Session) -> None:
    """Each error names the other way."""
    session.run_to("canonicalize")
    with pytest.raises(PasselError, match="cse has run already; rewind to a place before it"):
        session.run_to("cse")
    with pytest.raises(PasselError, match="symbol-dce has not run yet; run to it instead"):
        session.rewind("symbol-dce")
    with pytest.raises(PasselError, match="the session has not stopped at cse"):
        session.diff("cse")
    with pytest.raises(PasselError, match="no operation defines @g"):
        session.text("@g")


def test_no_step_runs_nothing(session: Session) -> None:
    """At the start, in the middle and at the end."""
    start = session.text()
    session.step(0)
    assert session.text() == start
    session.run_to()
    end = session.text()
    session.step()
    assert session.text() == end
