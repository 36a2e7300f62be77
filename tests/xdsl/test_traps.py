"""What xDSL does unlike other IRs stays inside its adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.dialects.llvm import FuncOp
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolTable

from passel import FunctionLike
from passel.diagnostics import Location
from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation


@pytest.fixture
def adapter() -> XDSLAdapter:
    """The adapter."""
    return XDSLAdapter()


# -- Unregistered ops ------------------------------------------------------------------------


def test_unregistered_ops_are_called_as_they_are_and_claim_nothing(
    adapter: XDSLAdapter, parse: Callable[[str], Operation]
) -> None:
    """To xDSL they all are `builtin.unregistered`, and have every trait; to passel neither."""
    first, second, again = adapter.children(
        parse('"a.b"() : () -> () "c.d"() : () -> () "a.b"() : () -> ()')
    )
    assert first.name == second.name == "builtin.unregistered"
    assert [adapter.kind_of(op).name for op in (first, second, again)] == ["a.b", "c.d", "a.b"]
    assert adapter.key_of(first) is adapter.key_of(again)
    assert adapter.key_of(first) is not adapter.key_of(second)
    assert first.has_trait(IsolatedFromAbove)
    kind = adapter.kind_of(first)
    assert (kind.registered, kind.isolated) == (False, False)
    for interface in (IsolatedFromAbove, SymbolTable, IsTerminator, UnregisteredOp):
        assert not kind.implements(interface)


def test_unregistered_ops_are_no_anchors(
    adapter: XDSLAdapter, context: Context, parse: Callable[[str], Operation]
) -> None:
    """An op that occurred, and the name that xDSL has for it, do not count as registered."""
    assert parse('"a.b"() : () -> ()')
    assert (
        context.get_optional_op("no.such") is not None
    )  # xDSL knows each name that it is asked for
    assert [adapter.kind_named(context, name) for name in ("a.b", "no.such")] == [None, None]
    assert adapter.kind_named(context, "builtin.unregistered") is None
    assert "builtin.unregistered" not in adapter.suggest_op(context, "builtin.unregistere")


# -- Isolation -------------------------------------------------------------------------------


def test_llvm_functions_are_isolated_and_functions(adapter: XDSLAdapter, context: Context) -> None:
    """As in MLIR, though xDSL lacks the traits, which passel does not add to them."""
    names = ("func.func", "llvm.func", "func.call", "builtin.module")
    kinds = [adapter.kind_named(context, name) for name in names]
    assert [k and k.implements(FunctionLike) for k in kinds] == [True, True, False, False]
    assert [k and k.isolated for k in kinds] == [True, True, False, True]
    assert not FuncOp.has_trait(IsolatedFromAbove)


def test_dialects_load_when_asked_for(adapter: XDSLAdapter) -> None:
    """A new context has loaded nothing; asking for an op loads its dialect and no other."""
    context = adapter.create_context()
    assert list(context.loaded_dialects) == []
    assert adapter.kind_named(context, "func.func") is not None
    assert [dialect.name for dialect in context.loaded_dialects] == ["func"]


# -- Verification ----------------------------------------------------------------------------


def test_printing_falls_back(adapter: XDSLAdapter, parse: Callable[[str], Operation]) -> None:
    """Where invalid IR breaks a custom printer, the generic form is shown."""
    (function,) = adapter.children(parse("func.func @f() { func.return }"))
    del function.properties["sym_name"]
    assert adapter.print_op(function, PrintFlags()).startswith('"func.func"()')


# -- Locations -------------------------------------------------------------------------------


def test_locations_that_name_more_or_less_than_a_file(
    adapter: XDSLAdapter, parse: Callable[[str], Operation]
) -> None:
    """A name alone is shown as that name; the caller of a call site is there to become a note."""
    named, called = adapter.children(
        parse(
            '"test.op"() : () -> () loc("just a name")'
            '"test.op"() : () -> () loc(callsite("a.py":1:2 at "b.py":3:4))'
        )
    )
    assert adapter.location(named) == Location(label='loc("just a name")')
    assert adapter.location(called).caller == Location("b.py", 3, 4)
