"""One check for all ops that are alike: what counts as alike, and what is checked for each."""

from __future__ import annotations

import gc
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.backend.register_allocatable import HasRegisterConstraints, RegisterConstraints
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    FlatSymbolRefAttrConstr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    SymbolRefAttr,
    f32,
    i32,
    i64,
)
from xdsl.ir import Block, Region
from xdsl.irdl import (
    AtLeast,
    AttrConstraint,
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
)
from xdsl.traits import IsolatedFromAbove, OpTrait, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value
from xdsl_inputs import xdsl_context

from passel.ir import InvalidIR
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.fast import are_on, invariants
from passel.xdsl.release import RELEASE
from passel.xdsl.verification import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import TypeVar
    from xdsl.ir import Attribute, Operation
    from xdsl.irdl import IntConstraint, VerificationContext

XDSLAdapter()  # lets definitions remember


class IsI32(AttrConstraint[IntegerType]):
    """A constraint that is not xDSL's own."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Accept `i32`."""
        if attr != i32:
            raise VerifyException("not i32")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> IsI32:
        """Return itself, as there are none."""
        return self


def _op_class(number: object) -> type[Operation]:
    fields = {"name": "test.number", "number": number}
    return irdl_op_definition(type("NumberOp", (IRDLOperation,), fields))


_POSITIVE = _op_class(prop_def(IntegerAttr.constr(value=AtLeast(1))))
"""Its definition looks at a number's value."""
_NUMBER = _op_class(prop_def(IntegerAttr))
"""Its definition looks at a number's class alone."""
_TYPED = _op_class(prop_def(IntegerAttr.constr(IsI32())))
"""Its definition asks a constraint that may change its mind."""
_FLAT = _op_class(prop_def(FlatSymbolRefAttrConstr))
"""Its definition looks at what a symbol is part of."""


@irdl_op_definition
class FirstTwiceOp(IRDLOperation, HasRegisterConstraints):
    """Its class, which is taken for one of xDSL's, declares the first of two registers twice."""

    __module__ = "xdsl.dialects.wrong"
    name = "test.first_twice"
    registers = var_operand_def()

    def get_register_constraints(self) -> RegisterConstraints:
        """Return a declaration that is right if both registers are the same value."""
        return RegisterConstraints([self.registers[0]] * 2, (), ())

    def allocate_registers(self, allocator: object) -> None:
        """Do nothing."""


_A, _B = create_ssa_value(i32), create_ssa_value(i32)


def _of(op_class: type[Operation], number: Attribute) -> Operation:
    return op_class.create(properties={"number": number})


def _constant(value: IntegerAttr, result_type: Attribute) -> ConstantOp:
    return ConstantOp.create(properties={"value": value}, result_types=[result_type])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (_constant(IntegerAttr(1, i32), i32), _constant(IntegerAttr(1, i64), i32)),
        (_constant(IntegerAttr(1, i32), i32), _constant(IntegerAttr(1, i32), f32)),
        (_of(_POSITIVE, IntegerAttr(1, i32)), _of(_POSITIVE, IntegerAttr(0, i32))),
        (_of(_NUMBER, IntegerAttr(1, i32)), _of(_NUMBER, IntAttr(1))),
        (_of(_TYPED, IntegerAttr(1, i32)), _of(_TYPED, IntegerAttr(1, i64))),
        (_of(_FLAT, SymbolRefAttr("f")), _of(_FLAT, SymbolRefAttr("f", ["g"]))),
        (ModuleOp([]), ModuleOp(Region([Block(), Block()]))),
        pytest.param(
            *(FirstTwiceOp.create(operands=[_A, each]) for each in (_A, _B)),
            marks=pytest.mark.skipif(RELEASE < (0, 74), reason="xDSL did not check it before"),
        ),
    ],
    ids=["value type", "type", "value", "class", "constraint", "symbol", "blocks", "operands"],
)
def test_what_counts(right: Operation, wrong: Operation) -> None:
    """An op that differs from a right one in what its definition looks at is found."""
    right.verify_()
    right.verify_()
    with pytest.raises(VerifyException):
        wrong.verify_()


def test_a_value_that_the_definition_does_not_look_at_does_not_count() -> None:
    """Where fast paths are on, a definition is checked once for all numbers of one type."""
    gc.collect()
    kind, before = IntegerType(77), len(invariants._seen)  # pyright: ignore[reportPrivateUsage]
    constants = [_constant(IntegerAttr(value, kind), kind) for value in range(5)]
    for each in constants:
        each.verify_()
    assert len(invariants._seen) - before == are_on()  # pyright: ignore[reportPrivateUsage]


def test_what_is_known_of_an_attribute_goes_with_it() -> None:
    """Nothing is remembered of an address at which another attribute may come to stand."""
    gc.collect()
    before = len(invariants._seen)  # pyright: ignore[reportPrivateUsage]
    for number in range(5):
        kind = IntegerType(55)
        _constant(IntegerAttr(number, kind), kind).verify_()
        del kind
        gc.collect(1)  # it is not old
        assert len(invariants._seen) == before  # pyright: ignore[reportPrivateUsage]


class _Refuses(OpTrait):
    def verify(self, op: Operation) -> None:
        raise VerifyException("refused")


class _LooksOutward(_Refuses, SymbolUserOpInterface):
    pass


@pytest.mark.parametrize("trait", [_Refuses(), _LooksOutward()], ids=["near", "outward"])
@pytest.mark.parametrize("regions", [0, 1])
def test_traits_that_are_added_later(regions: int, trait: OpTrait) -> None:
    """A trait that a class is given after one of its ops was verified is verified as well."""

    @irdl_op_definition
    class Later(IRDLOperation):
        name = "t.later"
        inside = var_region_def()
        traits = traits_def()

    op = Later.create(regions=[Region()] * regions)
    op.verify_()
    Later.traits.add_trait(trait)
    with pytest.raises(VerifyException, match="refused"):
        op.verify_()
    with pytest.raises(InvalidIR, match="refused"):
        verify(ModuleOp([op]) if isinstance(trait, _LooksOutward) else op, recursive=False)


def complaint(check: Callable[[Any], None], op: Operation | None) -> str:
    """Return what a check says of an op."""
    try:
        check(op)
    except (VerifyException, InvalidIR) as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("inside", "is_valid"),
    [
        ('"test.op"(%b) : (i32) -> ()', True),
        ('"test.op"(%c) : (i32) -> () %c = "test.op"() : () -> i32', True),
        ('"test.op"() ({ "test.termop"(%b) : (i32) -> () }) : () -> ()', True),
        ('"test.op"(%a) : (i32) -> ()', False),
        ('"test.op"(%b, %a) : (i32, i32) -> () "test.op"(%a) : (i32) -> ()', False),
        ('"test.op"() ({ "test.termop"(%a) : (i32) -> () }) : () -> ()', False),
        # Left to ops that are isolated themselves, or may be.
        ('"no.one"() ({ "test.op"(%a) : (i32) -> () }) : () -> ()', True),
    ],
)
def test_values_from_outside(inside: str, is_valid: bool) -> None:
    """Values from outside are found at any depth, with xDSL's words; others are not."""
    text = f"""
  %a = "test.op"() : () -> i32
  func.func @f(%b: i32) {{ {inside} func.return }}"""
    module = parse_source(xdsl_context(), text, "test.mlir")
    theirs = complaint(IsolatedFromAbove().verify, module.regions[0].block.last_op)
    assert complaint(partial(verify, recursive=True, dominance=False), module) == theirs
    assert is_valid == (not theirs)
