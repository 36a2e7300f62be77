"""A pass on one op that changes anything outside of it fails, whatever it is, without being asked."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.test import TestOp as AnyOp

from passel import Failure, Pass, PassContext, PassFailedError, PassManager, option
from passel.errors import EncodingError
from passel.execution.strategies import Sequential
from passel.execution.strategies.executors import OnExecutor
from passel.execution.strategies.fork import Forked
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.ir import Operation

SOURCE = """
module @root {
  func.func @a() {
    %x, %y = "test.op"() : () -> (i32, i32)
    "test.op"(%x) : (i32) -> ()
    "test.op"() ({ "test.op"() : () -> () }, {}) : () -> ()
    return
  }
  module @in {
    func.func @b() { return }
    func.func @c() { return }
  }
  func.func @z() { return }
}
"""


def body(op: Operation) -> list[Operation]:
    """Return the ops in the first block of an op."""
    block = op.regions[0].first_block
    assert block is not None
    return list(block.ops)


def set_attribute(op: Operation) -> None:
    """Give the op an attribute."""
    op.attributes["seen"] = UnitAttr()


def set_location(op: Operation) -> None:
    """Change where the op comes from."""
    op.location = FileLineColLoc(StringAttr("x"), IntAttr(1), IntAttr(2))


def add_inside(op: Operation) -> None:
    """Add an op inside."""
    block = op.regions[0].first_block
    assert block is not None
    block.insert_ops_before([AnyOp()], body(op)[0])


def erase(op: Operation) -> None:
    """Erase the op itself."""
    op.detach()
    op.erase()


def move_up(op: Operation) -> None:
    """Move it out of the enclosing op."""
    module = op.parent_op()
    assert module is not None
    op.detach()
    (module.next_op or body(module)[0]).parent.add_op(op)  # pyright: ignore[reportOptionalMemberAccess]


def add_beside(op: Operation) -> None:
    """Add another function beside it."""
    assert op.parent is not None
    op.parent.insert_ops_before([FuncOp.external("new", [], [])], op)


CHANGES: dict[str, Callable[[Operation], None]] = {
    "attribute": set_attribute,
    "location": set_location,
    "op inside added": add_inside,
    "erased": erase,
    "added beside": add_beside,
    "moved": move_up,
}
RAN: list[str | None] = []


class Reach(Pass[Any]):
    """Change the op called `to` from the pass on the op called `at`, and note on what it ran."""

    name = "reach"
    kind: str = ""
    at: str = ""
    to: str = ""
    own: bool = option(default=False, help="Change the op itself before.")
    silent: bool = option(default=False, help="State that nothing was changed.")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Do it."""
        RAN.append(ctx.adapter.symbol_name(op))
        assert op.parent is not None, "a pass runs on an op that is gone"
        if self.own:
            set_attribute(op)
        top = op
        while (enclosing := top.parent_op()) is not None:
            top = enclosing
        for each in list(top.walk()) if RAN[-1] == self.at else ():
            if ctx.adapter.symbol_name(each) == self.to:
                CHANGES[self.kind](each)
                break
        if self.silent:
            ctx.preserve_all()


def failures(
    pass_: Pass[Any], *, nested: bool = False, check: bool = False, jobs: int | None = None
) -> list[Failure]:
    """Run a pass on functions, and return the failures."""
    context = XDSLAdapter().create_context()
    manager = PassManager("builtin.module", context)
    manager.enable_isolation_check(check)
    inner: Any = manager.nest("builtin.module") if nested else manager
    inner.nest("func.func").add(pass_)
    module = parse_source(context, SOURCE, "in.mlir")
    RAN.clear()
    try:
        manager.run(module, jobs=jobs, on_diagnostic=lambda _: None)
    except PassFailedError as error:
        return list(error.failures)
    return []


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in CHANGES if kind != "moved"])
def test_a_changed_sibling_is_noticed(kind: str, *, check: bool) -> None:
    """Whatever is changed; with the check, the error names the op that the pass ran on."""
    found = failures(Reach(kind=kind, at="z", to="a"), check=check)
    assert {each.kind for each in found} == {"isolation"}
    assert all("'reach" in each.diagnostic.origin for each in found)
    if check:
        assert {each.symbol for each in found} == {"z"}


@pytest.fixture
def keeps_one_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[OnExecutor]:
    """A pool of workers that are not sent the function `a`."""
    ship = XDSLAdapter.ship

    def ship_others(self: XDSLAdapter, ops: Sequence[Operation], context: Any) -> bytes:
        if any(self.symbol_name(op) == "a" for op in ops):
            raise EncodingError("it stays here")
        return ship(self, ops, context)

    monkeypatch.setattr(XDSLAdapter, "ship", ship_others)
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        yield OnExecutor(None, pool)


@pytest.mark.parametrize("kind", ["attribute", "op inside added"])
def test_a_changed_sibling_that_workers_work_on_is_noticed(
    kind: str, keeps_one_here: OnExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they have sent of it is not put on top of another change."""
    told: list[list[tuple[str, str]]] = []
    for strategy in (Sequential(), Forked(2), keeps_one_here):
        chosen = Mock(return_value=strategy)
        monkeypatch.setattr("passel.manager.pass_manager.strategy_for", chosen)
        found = failures(Reach(kind=kind, at="a", to="z", own=True))
        told.append([(each.kind, each.diagnostic.message) for each in found])
    assert told[0] == told[1] == told[2]
    assert "isolation" in dict(told[0])


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("kind", ["attribute", "location"])
@pytest.mark.parametrize("to", ["in", "root"])
def test_a_changed_enclosing_op_is_noticed(kind: str, to: str, *, check: bool) -> None:
    """One and two levels up."""
    found = failures(Reach(kind=kind, at="b", to=to), nested=True, check=check)
    assert {each.kind for each in found} == {"isolation"}
    assert "was changed by a pass on a nested op" in found[0].diagnostic.message
    if check:
        assert found[0].symbol == "b"


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("kind", ["erased", "moved"])
def test_an_op_that_takes_itself_away_is_noticed(kind: str, *, check: bool) -> None:
    """It is the failure of that very pass, and siblings are still processed."""
    reach = Reach(kind=kind, at="b", to="b")
    failure, *others = failures(reach, nested=True, check=check, jobs=1)  # for what it ran on
    assert not (others and check and kind == "erased"), "nobody beside it is blamed"
    assert "erased or moved the op that it ran on" in failure.diagnostic.message
    assert (failure.symbol, RAN) == ("b", ["b", "c"])


@pytest.mark.parametrize("count", [3, 300])
def test_no_pass_runs_on_an_erased_op(count: int) -> None:
    """Siblings that are erased before their turn have none; others have theirs."""
    context = XDSLAdapter().create_context()

    class EraseEven(Pass[Any]):
        name = "erase-even"

        def run(self, op: Operation, ctx: PassContext) -> None:
            assert op.parent is not None
            RAN.append(ctx.adapter.symbol_name(op))
            for number, each in enumerate(list(op.parent.ops)):
                if RAN[-1] == "f1" and number % 2 == 0:
                    erase(each)

    manager = PassManager("builtin.module", context)
    manager.nest("func.func").add(EraseEven())
    text = "".join(f"func.func @f{number}() {{ return }}" for number in range(count))
    RAN.clear()
    with pytest.raises(PassFailedError, match="was erased or moved by a pass on a sibling op") as e:
        manager.run(parse_source(context, text, "in.mlir"), on_diagnostic=lambda _: None, jobs=1)
    told = [(each.symbol, each.diagnostic.op_text) for each in e.value.failures]
    assert told == [(f"f{number}", "") for number in range(2, count, 2)], "not the whole module"
    assert ["f0", *(f"f{number}" for number in range(1, count, 2))] == RAN


def test_the_isolation_check_names_a_pass_that_states_that_it_changes_nothing() -> None:
    """A pass behind it on the same op is not blamed for it."""
    context = XDSLAdapter().create_context()
    manager = PassManager("builtin.module", context)
    manager.enable_isolation_check()
    manager.nest("func.func").add(Reach(kind="attribute", at="z", to="a", silent=True)).add(Reach())
    with pytest.raises(PassFailedError) as raised:
        manager.run(parse_source(context, SOURCE, "in.mlir"), on_diagnostic=lambda _: None)
    assert [each.path for each in raised.value.failures] == ["builtin.module/func.func/0:reach"]


def test_what_a_pass_states_is_checked_before_nested_pipelines_change_other_ops() -> None:
    """A pass breaks one function and says that it changed nothing; others then change a second."""
    context = XDSLAdapter().create_context()

    class Break(Pass[Any]):
        name = "break"

        def run(self, op: Operation, ctx: PassContext) -> None:
            body(body(op)[2])[-1].detach()
            ctx.preserve_all()

    manager = PassManager("builtin.module", context).add(Break())
    manager.nest("func.func").add(Reach(kind="attribute", at="a", to="a"))
    with pytest.raises(PassFailedError) as raised:
        manager.run(parse_source(context, SOURCE, "in.mlir"), on_diagnostic=lambda _: None)
    assert [each.path for each in raised.value.failures] == ["builtin.module/0:break"]
