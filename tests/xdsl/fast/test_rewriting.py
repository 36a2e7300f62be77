"""Effects, folders and constants of ops are not taken for more, or for those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loose_ops import EFFECTS, op_with
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


_LINES = (
    *('"t.pure"(%x) : (i32) -> i32', '"t.read"(%x) : (i32) -> i32'),
    *('"t.write"(%x) : (i32) -> i32', '"t.both"(%x) : (i32) -> i32'),
    *('"t.unknown"(%x) : (i32) -> i32', '"no.one"(%x) : (i32) -> i32'),
    *(
        f'"t.asked"(%x) <{{value = "{effect}"}}> : (i32) -> i32'
        for effect in ("none", "read", "write", "alloc", "other", "unknown")
    ),
)
_NESTS = ("t.nested", "t.nested_write", "t.nested_asked", "t.pure", "t.read", "t.unknown")


@pytest.mark.parametrize("line", _LINES)
@pytest.mark.parametrize("pipeline", ["canonicalize", "cse", "dce"])
def test_effects(line: str, pipeline: str) -> None:
    """What has effects stays, in every combination of nesting and use; what has none goes.

    Effects are asked of the op where they are not known from its class.
    """
    nests = "\n".join(
        f'%n{n} = "{name}"() ({{ %y{n} = {line} }}) : () -> i32' for n, name in enumerate(_NESTS)
    )
    deep = "\n".join(
        f'"t.nested"() ({{ "{name}"() ({{ %z = {line} }}) : () -> () }}) : () -> ()'
        for name in _NESTS
    )
    twice = f'%a = {line}\n%b = {line}\n"test.op"(%a, %b) : (i32, i32) -> ()'
    reads = f"""
  %c = "t.read"(%x) : (i32) -> i32
  %d = {line}
  %e = "t.read"(%x) : (i32) -> i32
  "t.nested"() ({{ %f = {line} }}) : () -> ()
  %g = "t.read"(%x) : (i32) -> i32
  "test.op"(%c, %d, %e, %g) : (i32, i32, i32, i32) -> ()"""
    text = f'%x = "test.op"() : () -> i32\n%dead = {line}\n{nests}\n{deep}\n{twice}\n{reads}'
    assert check(text, pipeline, *EFFECTS)


@pytest.mark.parametrize(
    "text",
    [
        # Nothing but itself needs it.
        '%a = "t.pure"(%b) : (i32) -> i32 %b = "t.pure"(%a) : (i32) -> i32',
        # One use each, by one op: only both together are dead.
        '%a = "t.pure"() : () -> i32 %b = "t.pure"(%a, %a) : (i32, i32) -> i32',
        # A chain, and one that is needed.
        (
            '%a = "t.pure"() : () -> i32 %b = "t.pure"(%a) : (i32) -> i32 "t.pure"(%b) : (i32) -> ()'
            ' %c = "t.pure"(%a) : (i32) -> i32 "test.op"(%c) : (i32) -> ()'
        ),
        # Needed inside of what is dead itself.
        '%a = "t.pure"() : () -> i32 "t.nested"() ({ "t.pure"(%a) : (i32) -> () }) : () -> ()',
        '%a = "t.pure"() : () -> i32 "t.pure"() ({ "t.write"(%a) : (i32) -> () }) : () -> ()',
        # Needed inside of an unregistered op alone.
        '%a = "t.pure"() : () -> i32 "no.one"() ({ "t.write"(%a) : (i32) -> () }) : () -> ()',
        # Used by what comes before.
        '"test.op"(%a) : (i32) -> () %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32',
        # Blocks that are not reached, one of which uses what another one defines.
        'func.func @f() { func.return ^a: %x = "t.pure"() : () -> i32 cf.br ^b ^b: func.return }',
        'func.func @f() { cf.br ^b ^a: %x = "t.pure"() : () -> i32 cf.br ^b ^b: func.return }',
        # Reached, but with nothing in it.
        '"test.op"() ({ "test.termop"() [^a] : () -> () ^a: }) : () -> ()',
        '"test.op"() ({ "test.termop"() [^a] : () -> () ^a: "t.pure"() : () -> () }) : () -> ()',
        # Reached from an unregistered op.
        '"test.op"() ({ "no.one"() [^a] : () -> () ^a: "t.write"() : () -> () }) : () -> ()',
        '"test.op"() ({ "t.write"() [^a] : () -> () ^a: "t.write"() : () -> () }) : () -> ()',
        # Dead in regions of several blocks, nested in one another.
        (
            'func.func @f() { cf.br ^a ^a: "t.unknown"() ({ cf.br ^b ^b: %x = "t.pure"() : () -> i32'
            ' "t.end"() : () -> () ^c: "t.end"() : () -> () }) : () -> () func.return }'
        ),
    ],
)
def test_dead_code(text: str) -> None:
    """Dead is what no effect depends on, in one region or several, in order or in circles."""
    for pipeline in ("canonicalize", "cse", "dce"):
        check(text, pipeline, *EFFECTS)
    assert check(text, "dce,canonicalize", *EFFECTS) or "no.one" in text


def test_traits_that_are_added_later() -> None:
    """A trait that is given to a class between two runs counts in the second one."""
    op_class = op_with("t.later")
    text = '%a = "t.later"() : () -> i32'
    assert not check(text, "dce", op_class)
    op_class.traits.add_trait(Pure())
    assert check(text, "dce", op_class)
