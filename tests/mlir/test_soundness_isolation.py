"""A pass that reaches outside of its op is noticed, and no pass runs on what it has erased."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mlir.ir import Context, InsertionPoint, Location, Module, StringAttr, UnitAttr
from processes import survived

from passel import (
    Failure,
    Pass,
    PassContext,
    PassFailedError,
    PassManager,
)
from passel.mlir import MLIRAdapter

SOURCE = """
module @root {
  func.func @a() { return }
  func.func @b() { return }
  module @in { func.func @c() { return } func.func @d() { return } }
  func.func @z() { return }
}
"""


def named(op: Any, symbol: str) -> Any:
    """Return the op beside another one that has this symbol."""
    adapter = MLIRAdapter()
    enclosing = adapter.parent(op)
    return next(each for each in adapter.children(enclosing) if adapter.symbol_name(each) == symbol)


def mark(op: Any) -> None:
    """Set an attribute."""
    op.operation.attributes["x.marked"] = UnitAttr.get(op.operation.context)


class Touch(Pass[Any]):
    """Change something, from the pass on the op called `at`."""

    name = "touch"
    at: str = "b"
    what: str = "own"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        if ctx.adapter.symbol_name(op) != self.at:
            return
        enclosing = ctx.adapter.parent(op)
        match self.what.split():
            case ["own"]:
                mark(op)
            case ["mark", "around"]:
                mark(enclosing)
            case ["mark", "around-that"]:
                mark(ctx.adapter.parent(enclosing))
            case ["mark", symbol]:
                mark(named(op, symbol))
            case ["move", symbol]:
                named(op, symbol).operation.move_after(op.operation)
            case ["erase", symbol]:
                named(op, symbol).operation.erase()
            case ["relocate", symbol]:
                place = Location.name("elsewhere", context=op.operation.context)
                named(op, symbol).operation.location = place
            case _:
                new = op.operation.clone(ip=InsertionPoint(op.operation))
                new.attributes["sym_name"] = StringAttr.get("new", op.operation.context)


def failures(pass_: Touch, *, nested: bool = False, check: bool = False) -> list[Failure]:
    """Run a pass on functions, and return the failures."""
    context = Context()
    manager = PassManager("builtin.module", context)
    manager.enable_isolation_check(check)
    inner: Any = manager.nest("builtin.module") if nested else manager
    inner.nest("func.func").add(pass_)
    module = Module.parse(SOURCE, context)
    try:
        manager.run(module, on_diagnostic=lambda _: None)
    except PassFailedError as error:
        return list(error.failures)
    return []


def test_the_own_op_may_be_changed() -> None:
    """The check does not take a change of the op's own attributes for one around it."""
    assert failures(Touch(), check=True) == []
    assert failures(Touch(at="c"), nested=True, check=True) == []


@pytest.mark.parametrize("symbol", ["a", "z", "in", "around"])
@pytest.mark.parametrize("verb", ["mark", "relocate"])
def test_the_check_names_the_pass_the_op_and_what_it_touched(verb: str, symbol: str) -> None:
    """Changed attributes and locations of siblings, and attributes of the enclosing op."""
    if (verb, symbol) == ("relocate", "around"):
        return
    (failure,) = failures(Touch(what=f"{verb} {symbol}"), check=True)
    assert (failure.kind, failure.symbol) == ("isolation", "b")
    assert failure.path == "builtin.module/func.func/0:touch"
    beside = "a nested op" if symbol == "around" else "a sibling op"
    assert f"was changed by a pass on {beside}" in failure.diagnostic.message


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("at", ["a", "b", "z"])
@pytest.mark.parametrize("what", ["move", "erase", "add"])
def test_ops_that_come_go_or_move_are_noticed(what: str, at: str, *, check: bool) -> None:
    """Without any check, wherever they stand."""
    for symbol in {"a", "b", "z"} - {at} if what != "add" else [""]:
        if (what, at, symbol) == ("move", "a", "b"):
            continue  # it stands there already
        found = failures(Touch(at=at, what=f"{what} {symbol}".strip()), check=check)
        assert {each.kind for each in found} == {"isolation"}, (symbol, found)
        assert all("touch" in each.diagnostic.origin for each in found)


ERASING = """
import json, sys
from mlir.ir import Context, Module
from passel import Pass, PassFailedError, PassManager

count, at, erased = json.loads(sys.argv[1])

class Erase(Pass):
    name = "erase"
    ran = []
    def run(self, op, ctx):
        symbol = ctx.adapter.symbol_name(op)
        self.ran.append(symbol)
        if symbol == f"f{at}":
            others = {ctx.adapter.symbol_name(each): each for each in
                      ctx.adapter.children(ctx.adapter.parent(op))}
            for number in erased:
                if f"f{number}" in others:  # not yet
                    others[f"f{number}"].operation.erase()

def failures(verify, check):
    context = Context()
    manager = PassManager("builtin.module", context)
    manager.enable_verifier(verify)
    manager.enable_isolation_check(check)
    manager.nest("func.func").add(Erase(), Erase())
    text = "".join(f"func.func @f{number}() {{ return }} " for number in range(count))
    module = Module.parse(text, context)
    Erase.ran.clear()
    try:
        manager.run(module, on_diagnostic=lambda _: None)
    except PassFailedError as error:
        after = Erase.ran[max(n for n, each in enumerate(Erase.ran) if each == f"f{at}"):]
        assert not {f"f{number}" for number in erased} & set(after[1:]), after
        return {each.kind for each in error.failures}
    return "none"

for verify in (True, False, "always"):
    for check in (False, True):
        print(verify, check, failures(verify, check))
"""


@pytest.mark.parametrize(
    ("count", "at", "erased"),
    [(3, 0, [1, 2]), (3, 1, [0]), (300, 150, [10, 200])],
)
def test_no_pass_runs_on_an_erased_op(count: int, at: int, erased: list[int]) -> None:
    """The process survives, the run fails, and what is gone is left alone, whatever is checked."""
    ways = survived(ERASING, json.dumps([count, at, erased])).splitlines()
    assert ways
    assert all(way.endswith(" {'isolation'}") for way in ways), ways
