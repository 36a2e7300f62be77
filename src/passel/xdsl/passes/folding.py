"""Folding of ops whose operands are known to be constant, without changing the IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.ir import SSAValue
from xdsl.traits import HasFolder
from xdsl.utils.exceptions import UnregisteredConstructException

from passel.xdsl.passes.integer_folds import fold_integers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation


def fold(
    op: Operation, constants: Sequence[Attribute | None], context: Context
) -> list[Attribute | SSAValue] | None:
    """Return what each result of an op is: a constant, or one of its operands.

    Asked are passel's knowledge of integers, then the op's own folder as xDSL defines it.

    Args:
        op: An op without regions.
        constants: The operands' values as far as they are constant.
        context: Knows the dialects.

    Returns:
        None if the op does not fold.
    """
    if len(op.results) == 1 and (found := fold_integers(op, constants)) is not None:
        return [found]
    trait = op.get_trait(HasFolder)
    if trait is None:
        return None
    # Folders look at what defines an operand, so they are shown constants there.
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
    """Return a new constant of a dialect, or None if the dialect has none for such a value."""
    try:
        interface = context.get_dialect(dialect).get_interface(ConstantMaterializationInterface)
    except UnregisteredConstructException:
        return None
    if interface is None:
        return None
    constant = interface.materialize_constant(value, kind)
    if constant is None:
        return None
    try:
        constant.verify()
    except Exception:  # noqa: BLE001 - whatever a definition's verifier raises, it is no constant
        return None
    return constant
