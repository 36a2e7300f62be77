"""One check for all ops that are alike: what counts as alike."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, ClassVar

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    IntAttr,
    IntegerAttr,
    IntegerType,
    f32,
    i32,
    i64,
)
from xdsl.irdl import (
    AtLeast,
    AttrConstraint,
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    traits_def,
)
from xdsl.traits import SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from passel.xdsl.fast import are_on
from passel.xdsl.invariants import InvariantChecker, outward_checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import TypeVar
    from xdsl.ir import Attribute, Operation
    from xdsl.irdl import IntConstraint, VerificationContext


class IsI32(AttrConstraint[IntegerType]):
    """Counts how often it is asked."""

    asked: ClassVar[int] = 0

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Accept `i32`."""
        IsI32.asked += 1
        if attr != i32:
            raise VerifyException("not i32")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> IsI32:
        """Return itself, as there are none."""
        return self


@irdl_op_definition
class PositiveOp(IRDLOperation):
    """Its definition looks at a number's value."""

    name = "test.positive"
    number = prop_def(IntegerAttr.constr(value=AtLeast(1)))


@irdl_op_definition
class TypedOp(IRDLOperation):
    """Its definition looks at a number's type alone."""

    name = "test.typed"
    number = prop_def(IntegerAttr.constr(IsI32()))


def _constant(value: IntegerAttr, result_type: Attribute) -> ConstantOp:
    return ConstantOp.create(properties={"value": value}, result_types=[result_type])


def test_a_constant_of_the_wrong_type_is_found_after_right_ones() -> None:
    """That constants differ in their values only is not taken for granted."""
    checker = InvariantChecker()
    checker.check(_constant(IntegerAttr(1, i32), i32))
    checker.check(_constant(IntegerAttr(2, i32), i32))
    with pytest.raises(VerifyException):
        checker.check(_constant(IntegerAttr(1, i64), i32))
    with pytest.raises(VerifyException):
        checker.check(_constant(IntegerAttr(1, i32), f32))


def test_a_value_that_the_definition_does_not_look_at_does_not_count() -> None:
    """Where fast paths are on, the definition is checked once for all numbers of one type."""
    checker = InvariantChecker()
    for value in range(5):
        checker.check(_constant(IntegerAttr(value, i32), i32))
    assert len(checker._seen) == are_on()  # pyright: ignore[reportPrivateUsage]


def test_a_value_that_the_definition_looks_at_counts() -> None:
    """A wrong value is found after a right one of the same type."""
    checker = InvariantChecker()
    checker.check(PositiveOp.create(properties={"number": IntegerAttr(1, i32)}))
    with pytest.raises(VerifyException):
        checker.check(PositiveOp.create(properties={"number": IntegerAttr(0, i32)}))


def test_a_number_s_type_and_class_always_count() -> None:
    """A wrong type is found after a right one, and so is another kind of attribute."""
    checker = InvariantChecker()
    checker.check(TypedOp.create(properties={"number": IntegerAttr(1, i32)}))
    with pytest.raises(VerifyException):
        checker.check(TypedOp.create(properties={"number": IntegerAttr(1, i64)}))
    with pytest.raises(VerifyException):
        checker.check(TypedOp.create(properties={"number": IntAttr(1)}))


def test_what_is_known_of_an_attribute_goes_with_it() -> None:
    """An attribute that comes to stand where a right one stood in memory is checked itself."""
    checker = InvariantChecker()

    def constants(width: int) -> list[TypedOp]:
        numbers = [IntegerAttr(1, IntegerType(width)) for _ in range(1000)]
        return [TypedOp.create(properties={"number": number}) for number in numbers]

    def checked(width: int) -> set[int]:
        ops = constants(width)
        for op in ops:
            checker.check(op)
        return {id(op.number.type) for op in ops}

    addresses = checked(32)
    gc.collect()
    # All are kept alive, so that the memory given back has to be used again.
    wrong: list[TypedOp] = []
    again: list[TypedOp] = []
    while not again and len(wrong) < 1_000_000:
        wrong += constants(33)
        again = [op for op in wrong if id(op.number.type) in addresses]
    assert again, "no address was used twice, so that this shows nothing"
    for op in again:
        with pytest.raises(VerifyException):
            checker.check(op)


def test_a_verifier_that_is_put_in_place_of_another_one_runs() -> None:
    """The verifier that a class has now is run, also if there was another one before."""

    @irdl_op_definition
    class PatchedOp(IRDLOperation):
        name = "test.patched"

    def refuse(self: Operation) -> None:
        raise VerifyException("refused")

    op, checker = PatchedOp(), InvariantChecker()
    checker.check(op)
    PatchedOp.verify_ = refuse
    with pytest.raises(VerifyException, match="refused"):
        checker.check(op)
    assert outward_checks(PatchedOp) == (refuse,)


def test_a_trait_that_is_added_later_looks_outward_too() -> None:
    """A trait that checks uses of symbols is asked from when the class has it."""

    @irdl_op_definition
    class LateOp(IRDLOperation):
        name = "test.late"
        traits = traits_def()

    class Uses(SymbolUserOpInterface):
        def verify(self, op: Operation) -> None:
            raise VerifyException("no such symbol")

    assert not outward_checks(LateOp)
    LateOp.traits.add_trait(Uses())
    (check,) = outward_checks(LateOp)
    with pytest.raises(VerifyException, match="no such symbol"):
        check(LateOp.create())
