"""Folders, patterns and constants of ops are not taken for those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rewriting_twins import check
from xdsl.dialects import arith
from xdsl.dialects.arith import SignlessIntegerBinaryOperation
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.interfaces import HasFolderInterface
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, result_def, traits_def
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, Pure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, SSAValue

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@irdl_op_definition
class _Own(SignlessIntegerBinaryOperation):
    """An op that looks like `arith`'s, but has a neutral number of its own."""

    name = "t.own"
    traits = traits_def(
        Pure(), arith.SignlessIntegerBinaryOperationHasCanonicalizationPatternsTrait()
    )

    @staticmethod
    def is_right_unit(attr: IntegerAttr) -> bool:
        """Return whether the number is 3."""
        return attr.value.data == 3


def test_an_op_that_looks_like_arithmetic() -> None:
    """An op of another dialect is folded with numbers that do not matter to `arith`."""
    text = """
  %x = "test.op"() : () -> i32
  %c = arith.constant 3 : i32
  %y = "t.own"(%x, %c) : (i32, i32) -> i32
  "test.op"(%y) : (i32) -> ()"""
    assert check(text, "canonicalize", _Own)


@irdl_op_definition
class _Zero(IRDLOperation, HasFolderInterface):
    """A constant that is not `arith`'s."""

    name = "t.zero"
    out = result_def(i32)
    value = opt_prop_def()
    traits = traits_def(Pure(), ConstantLike())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return (IntegerAttr(0, i32),)


@pytest.mark.parametrize(
    "op_class",
    [each for each in arith.Arith.operations if issubclass(each, SignlessIntegerBinaryOperation)],
)
def test_numbers_that_matter(op_class: type[SignlessIntegerBinaryOperation]) -> None:
    """The only neutral or absorbing numbers of xDSL's arithmetic are 0, 1 and -1."""
    kind = IntegerType(3)
    special = {
        number
        for number in range(-4, 4)
        if op_class.is_right_unit(value := IntegerAttr(number, kind))
        or op_class.is_right_zero(value)
    }
    assert special <= {-1, 0, 1}
    # Nothing else is looked at.
    assert op_class.fold is SignlessIntegerBinaryOperation.fold
    traits = op_class.get_traits_of_type(HasCanonicalizationPatternsTrait)
    patterns = [each for trait in traits for each in trait.get_patterns(op_class)]
    assert {type(each).__name__ for each in patterns} <= {
        "SignlessIntegerBinaryOperationConstantProp",
        "SignlessIntegerBinaryOperationZeroOrUnitRight",
    }


@pytest.mark.parametrize(
    "line",
    [
        *("arith.addi %x, %zero", "arith.muli %x, %one", "arith.muli %x, %zero"),
        *("arith.andi %x, %zero", "arith.divsi %x, %one", "arith.ori %x, %zero"),
        *("arith.addi %two, %x", "arith.muli %two, %x", "arith.addi %two, %two"),
        *("arith.addi %x, %other", "arith.addi %other, %x", "arith.subi %x, %zero"),
    ],
)
def test_constants_that_matter(line: str) -> None:
    """What has a constant on the left, or a special one on the right, is folded or rewritten."""
    text = f"""
  %x = "test.op"() : () -> i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %other = "t.zero"() <{{value = 9 : i32}}> : () -> i32
  %y = {line} : i32
  "test.op"(%y, %zero, %one, %two, %other) : (i32, i32, i32, i32, i32) -> ()"""
    assert check(text, "canonicalize", _Zero)
