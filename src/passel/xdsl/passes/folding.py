"""Constant folding, which computes the results of ops and leaves the IR unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import SSAValue
from xdsl.traits import HasFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation

_INDEX_WIDTH = 64
_TRUE = IntegerAttr(1, IntegerType(1))
_FALSE = IntegerAttr(0, IntegerType(1))


def fold_integers(op: Operation, operands: Sequence[Attribute | None]) -> Attribute | None:
    """Return the constant to which an integer op folds, or None if the op does not fold.

    Args:
        op: An op with one result.
        operands: For each operand, an attribute with its value, or None if the operand is not
            constant.

    Example:
        >>> from xdsl.dialects import arith
        >>> from xdsl.dialects.builtin import i8
        >>> ten = arith.ConstantOp.from_int_and_width(10, 8)
        >>> op = arith.RemSIOp(ten, ten)
        >>> print(fold_integers(op, [IntegerAttr(-7, i8), IntegerAttr(4, i8)]))
        -3 : i8

    Source: `mlir/lib/Dialect/Arith/IR/ArithOps.cpp`, MLIR 22.
    """
    if op.name in _ABSORBED_BY_ZERO and _value(operands[1]) == 0:
        return _integer(0, op.results[0].type)
    if op.name in _ZERO_ON_SAME and op.operands[0] is op.operands[1]:
        return _integer(0, op.results[0].type)
    if op.name == "arith.cmpi":
        return _compare(op, operands)
    known = [value for operand in operands if (value := _value(operand)) is not None]
    if len(known) < len(operands) or not known:
        return None
    kind = op.results[0].type
    if (convert := _CASTS.get(op.name)) is not None:
        return _integer(convert(known[0], _width(op.operands[0].type)), kind)
    compute = _BINARY.get(op.name)
    if compute is None:
        return None
    result = compute(known[0], known[1], _width(kind))
    return None if result is None else _integer(result, kind)


def _value(operand: Attribute | None) -> int | None:
    if not isinstance(operand, IntegerAttr):
        return None
    constant = cast("IntegerAttr", operand)
    return _signed(constant.value.data, _width(constant.type))


def _width(kind: Attribute) -> int:
    return cast("IntegerType", kind).bitwidth if isinstance(kind, IntegerType) else _INDEX_WIDTH


def _signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def _unsigned(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


def _integer(value: int, kind: Attribute) -> Attribute | None:
    if not isinstance(kind, IntegerType | IndexType):
        return None
    integer = cast("IntegerType | IndexType", kind)
    return IntegerAttr(_signed(value, _width(integer)), integer)


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _signed_division(a: int, b: int, width: int) -> bool:
    """Return whether a signed division has a defined result."""
    return b != 0 and not (b == -1 and a == -(1 << (width - 1)))


_BINARY: dict[str, Callable[[int, int, int], int | None]] = {
    "arith.addi": lambda a, b, _: a + b,
    "arith.subi": lambda a, b, _: a - b,
    "arith.muli": lambda a, b, _: a * b,
    "arith.andi": lambda a, b, _: a & b,
    "arith.ori": lambda a, b, _: a | b,
    "arith.xori": lambda a, b, _: a ^ b,
    "arith.divsi": lambda a, b, w: _quotient(a, b) if _signed_division(a, b, w) else None,
    "arith.remsi": lambda a, b, _: a - _quotient(a, b) * b if b else None,
    "arith.floordivsi": lambda a, b, w: a // b if _signed_division(a, b, w) else None,
    "arith.ceildivsi": lambda a, b, w: -(-a // b) if _signed_division(a, b, w) else None,
    "arith.divui": lambda a, b, w: _unsigned(a, w) // _unsigned(b, w) if b else None,
    "arith.remui": lambda a, b, w: _unsigned(a, w) % _unsigned(b, w) if b else None,
    "arith.ceildivui": lambda a, b, w: -(-_unsigned(a, w) // _unsigned(b, w)) if b else None,
    "arith.shli": lambda a, b, w: a << b if 0 <= b < w else None,
    "arith.shrsi": lambda a, b, w: a >> b if 0 <= b < w else None,
    "arith.shrui": lambda a, b, w: _unsigned(a, w) >> b if 0 <= b < w else None,
    "arith.maxsi": lambda a, b, _: max(a, b),
    "arith.minsi": lambda a, b, _: min(a, b),
    "arith.maxui": lambda a, b, w: max(_unsigned(a, w), _unsigned(b, w)),
    "arith.minui": lambda a, b, w: min(_unsigned(a, w), _unsigned(b, w)),
}
_CASTS: dict[str, Callable[[int, int], int]] = {
    "arith.extsi": lambda a, _: a,
    "arith.extui": _unsigned,
    "arith.trunci": lambda a, _: a,
    "arith.index_cast": lambda a, _: a,
    "arith.index_castui": _unsigned,
}
_ABSORBED_BY_ZERO = frozenset({"arith.muli", "arith.andi"})
_ZERO_ON_SAME = frozenset({"arith.subi", "arith.xori"})

_PREDICATES: tuple[Callable[[int, int], bool], ...] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)
_FIRST_UNSIGNED = 6
_UNSIGNED_TO_SIGNED = 4


def _compare(op: Operation, operands: Sequence[Attribute | None]) -> Attribute | None:
    predicate = op.get_attr_or_prop("predicate")
    if not isinstance(predicate, IntegerAttr):
        return None
    code = cast("IntegerAttr", predicate).value.data
    a, b = (_value(operand) for operand in operands)
    if op.operands[0] is op.operands[1] and isinstance(
        op.operands[0].type, IntegerType | IndexType
    ):
        a = b = 0
    if a is None or b is None:
        return None
    if code >= _FIRST_UNSIGNED:
        width = _width(op.operands[1].type)
        a, b, code = _unsigned(a, width), _unsigned(b, width), code - _UNSIGNED_TO_SIGNED
    return _TRUE if _PREDICATES[code](a, b) else _FALSE


def fold(
    op: Operation, constants: Sequence[Attribute | None], context: Context
) -> list[Attribute | SSAValue] | None:
    """Fold an op, and return a constant or an existing value for each result.

    `fold_integers` folds integer ops, and xDSL's folders fold all other ops.

    Args:
        op: An op without regions.
        constants: For each operand, an attribute with its value, or None if the operand is not
            constant.
        context: The context whose dialects materialize constants.

    Returns:
        The attribute or value for each result, or None if the op does not fold.
    """
    if len(op.results) == 1 and (found := fold_integers(op, constants)) is not None:
        return [found]
    trait = op.get_trait(HasFolder)
    if trait is None:
        return None
    # Folders look at the defining ops of operands, so constants are materialized for them.
    operands: list[SSAValue] = []
    shown: dict[SSAValue, SSAValue] = {}
    made: list[Operation] = []
    for operand, value in zip(op.operands, constants, strict=True):
        constant = None if value is None else materialize(value, operand.type, "arith", context)
        if constant is not None:
            made.append(constant)
            shown[constant.results[0]] = operand
        operands.append(operand if constant is None else constant.results[0])
    copy = op.clone_without_regions(dict(zip(op.operands, operands, strict=True)))
    try:
        folded = trait.fold(copy)
    finally:
        copy.erase()
        for constant in made:
            constant.erase()
    if folded is None:
        return None
    return [shown.get(found, found) if isinstance(found, SSAValue) else found for found in folded]


def materialize(
    value: Attribute, kind: Attribute, dialect: str, context: Context
) -> Operation | None:
    """Create a constant op of a dialect, or return None if the dialect cannot create the op."""
    home = context.get_optional_dialect(dialect)
    interface = None if home is None else home.get_interface(ConstantMaterializationInterface)
    constant = None if interface is None else interface.materialize_constant(value, kind)
    if constant is None:
        return None
    try:
        constant.verify()
    except Exception:  # noqa: BLE001 - whatever a definition's verifier raises, it is no constant
        return None
    return constant
