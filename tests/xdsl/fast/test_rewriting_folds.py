"""Folders, patterns and constants of ops are not taken for those of others."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from rewriting_twins import check
from xdsl.dialects import arith
from xdsl.dialects.arith import SignlessIntegerBinaryOperation
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Operation, OpTraits
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, result_def, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder, Pure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, SSAValue
    from xdsl.pattern_rewriter import PatternRewriter

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class _Binary(SignlessIntegerBinaryOperation):
    """Base of ops that look like `arith`'s."""

    traits = traits_def(Pure())


class _OwnFold(_Binary):
    name = "t.own_fold"

    def fold(self) -> tuple[SSAValue] | None:
        return (self.lhs,)


class _OwnFolder(HasFolder):
    @classmethod
    def fold(cls, op: Operation) -> Sequence[SSAValue | Attribute] | None:
        return (op.operands[1],)


class _OwnTrait(_Binary):
    name = "t.own_trait"


class _Swap(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if "seen" not in op.attributes:
            op.attributes["seen"] = i32
            rewriter.notify_op_modified(op)


class _SwapTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Swap(),)


class _OwnPattern(_Binary):
    name = "t.own_pattern"
    traits = traits_def(Pure(), _SwapTrait())


def _is(number: int) -> Any:
    def is_number(attr: IntegerAttr) -> bool:
        return attr.value.data == number

    return staticmethod(is_number)


class _OwnUnit(_Binary):
    name = "t.own_unit"
    is_right_unit = _is(3)


class _LargeUnit(_Binary):
    name = "t.large_unit"
    is_right_unit = _is(100)


class _OwnZero(_Binary):
    name = "t.own_zero"
    traits = traits_def(
        Pure(), arith.SignlessIntegerBinaryOperationHasCanonicalizationPatternsTrait()
    )
    is_right_zero = _is(3)


@pytest.mark.parametrize(
    ("base", "module"),
    [
        *product((_OwnFold, _OwnTrait, _OwnPattern, _OwnUnit, _OwnZero), ("t", arith.__name__)),
        (_LargeUnit, "t"),
    ],
)
def test_ops_that_look_like_arithmetic(base: type[_Binary], module: str) -> None:
    """An op with a folder, a pattern or neutral numbers of its own is folded and rewritten."""
    op_class = irdl_op_definition(type(base.__name__, (base,), {"__module__": module}))
    if base is _OwnTrait:  # in place of the one that is inherited
        op_class.traits = OpTraits(lambda: (Pure(), _OwnFolder()))
    text = f"""
  %x = "test.op"() : () -> i32
  %c = arith.constant {100 if base is _LargeUnit else 3} : i32
  %y = "{base.name}"(%x, %c) : (i32, i32) -> i32
  "test.op"(%y) : (i32) -> ()"""
    assert check(text, "canonicalize", op_class)


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
    [
        each
        for each in vars(arith).values()
        if isinstance(each, type) and issubclass(each, SignlessIntegerBinaryOperation)
    ],
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
