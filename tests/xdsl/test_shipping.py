"""Copies of xDSL's ops for processes that know nothing of them."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest
from layouts import fields_of
from own_cf import OWN_CF, JumpOp
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr, i32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition

from passel.errors import EncodingError
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Operation

TEXT = """
builtin.module @outer attributes {"around" = 1 : i32} {
  func.func @caller(%a: i32) -> i32 {
    %b = func.call @callee(%a) : (i32) -> i32
    func.return %b : i32
  }
  func.func @callee(%a: i32) -> i32 {
    func.return %a : i32
  }
}
"""


def module() -> tuple[XDSLAdapter, ModuleOp, list[Operation], Context]:
    """Return the module, its functions and the context."""
    adapter = XDSLAdapter()
    context = adapter.create_context()
    context.allow_unregistered = True
    made = parse_source(context, TEXT, "ship.mlir")
    assert isinstance(made, ModuleOp)
    return adapter, made, list(made.ops), context


ODD = """
func.func @branches(%a: i32 loc("x.c":1:2), %c: i1) -> i32 {
  cf.cond_br %c, ^then(%a : i32), ^done(%a : i32)
^then(%b: i32):
  %d = arith.addi %b, %a {tag = "t"} : i32 loc("y.c":3:4)
  cf.br ^done(%d : i32)
^done(%e: i32):
  func.return %e : i32
}
func.func @constants() {
  %a = arith.constant dense<[1.0, 0.1, 3.4028235e38]> : tensor<3xf32>
  %b = arith.constant 0x7FC00001 : f32
  func.return
}
func.func @cycle() {
  "test.graph"() ({
    %a = "un.known"(%b) {x = #un.attr<"q w">} : (!un.type<3>) -> !un.type<3>
    %b:2 = "un.other"(%a) : (!un.type<3>) -> (!un.type<3>, !un.type<3>)
  }) : () -> ()
  func.return
}
"""


@pytest.mark.parametrize("number", [0, 1, 2])
def test_nothing_tells_a_copy_from_the_op(number: int) -> None:
    """Values, names, locations, bits of constants, and the order of uses are the same."""
    adapter = XDSLAdapter()
    context = adapter.create_context()
    context.allow_unregistered = True
    function = list(parse_source(context, ODD, "odd.mlir").regions[0].block.ops)[number]
    _, (copy,) = adapter.receive(adapter.ship([function], context))
    for op in (function, copy):
        op.detach()
    for op in function.walk():  # locations are sent as what they stand for
        blocks = [block for region in op.regions for block in region.blocks]
        for each in (op, *(argument for block in blocks for argument in block.args)):
            each.location = pickle.loads(pickle.dumps(each.location))
    assert fields_of(copy) == fields_of(function)


def test_ops_come_with_what_is_around_them() -> None:
    """The enclosing op with its attributes, and declarations of what the ops refer to, no more."""
    adapter, _, functions, context = module()
    found, (caller,) = adapter.receive(adapter.ship(functions[:1], context))
    assert str(caller) == str(functions[0])
    enclosing = caller.parent_op()
    assert isinstance(enclosing, ModuleOp)
    assert enclosing.sym_name == StringAttr("outer")
    assert "around" in enclosing.attributes
    names = [adapter.symbol_name(each) for each in enclosing.ops]
    assert names == ["callee", "caller"]
    assert next(iter(enclosing.ops)).regions[0].first_block is None
    assert found is not context


def test_what_hangs_on_others_is_refused() -> None:
    """An op with operands cannot be sent without what defines them, nor one that stands nowhere."""
    adapter, made, _, context = module()
    one = test.TestOp(result_types=[i32])
    user = test.TestOp(operands=[one.results[0]])
    made.body.block.add_ops([one, user])
    with pytest.raises(EncodingError, match="from outside the op"):
        adapter.ship([user], context)
    with pytest.raises(EncodingError, match="is not in the same block"):
        adapter.ship([ModuleOp([])], context)


def test_a_users_own_dialect_stays() -> None:
    """An adapter that was pickled, and one that gets ops, has the user's dialect, not xDSL's."""
    adapter = XDSLAdapter(dialects=[OWN_CF])
    other: XDSLAdapter = pickle.loads(pickle.dumps(adapter))
    assert other.create_context().get_op("cf.jump") is JumpOp
    context = adapter.create_context()
    made = parse_source(context, "func.func @f() {\n  cf.jump\n  func.return\n}", "own.mlir")
    assert isinstance(made, ModuleOp)
    data = adapter.ship(list(made.ops), context)
    for each in (other, XDSLAdapter()):
        found, (function,) = each.receive(data)
        assert isinstance(function.regions[0].block.first_op, JumpOp)
        assert found.get_op("cf.jump") is JumpOp


def test_a_dialect_that_cannot_be_sent() -> None:
    """A class of a dialect that another process cannot import is named."""

    @irdl_op_definition
    class LocalOp(IRDLOperation):
        name = "local.op"
        assembly_format = "attr-dict"

    adapter = XDSLAdapter(dialects=[Dialect("local", [LocalOp])])
    context = adapter.create_context()
    made = parse_source(context, "func.func @f() {\n  local.op\n  func.return\n}", "own.mlir")
    assert isinstance(made, ModuleOp)
    with pytest.raises(EncodingError, match="LocalOp"):
        adapter.ship(list(made.ops), context)


class NotingOp(test.TestOp):
    """An op whose class has a say in how it is made."""

    def __post_init__(self) -> None:
        super().__post_init__()


def test_ops_of_classes_that_make_themselves_are_not_sent() -> None:
    """What only the class of an op can make is left to the process that has it."""
    adapter, _, functions, _ = module()
    noted = adapter.note(functions[0])
    functions[0].regions[0].block.add_op(NotingOp.create())
    with pytest.raises(EncodingError, match="overrides how its ops are created"):
        adapter.encode_changes(functions[0], noted)
