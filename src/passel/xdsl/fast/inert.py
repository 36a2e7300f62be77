"""Ops that neither fold nor match a pattern, as far as their operands alone show.

Most of a program's arithmetic is on values that are not constant. xDSL's folders and patterns
find that out one after the other, each of them by asking what defines the operands.

What is said here of folders and patterns is true of those of `xdsl.dialects.arith`, and only
asked of classes that have these and no others.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import OpResult
from xdsl.transforms.canonicalization_patterns.arith import (
    SignlessIntegerBinaryOperationConstantProp,
    SignlessIntegerBinaryOperationZeroOrUnitRight,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Operation
    from xdsl.pattern_rewriter import RewritePattern
    from xdsl.traits import HasFolder

    Inertness = Callable[[Operation, "Mapping[type[Operation], KnowsConstants]"], bool]

_SPECIAL: Final = frozenset({-1, 0, 1})
"""Neutral and absorbing operands of ops of `arith`: whatever the other one is, they fold."""

_OF_CONSTANTS: Final = (
    SignlessIntegerBinaryOperationConstantProp,
    SignlessIntegerBinaryOperationZeroOrUnitRight,
)


class KnowsConstants(Protocol):
    """Facts about a class of ops."""

    @property
    def constant(self) -> HasFolder | None:
        """The trait that gives the values of constants; None for others."""
        ...


def inertness(
    op_class: type[Operation], patterns: Sequence[RewritePattern], folder: HasFolder | None
) -> Inertness | None:
    """Return what tells that an op of a class neither folds nor matches; None if nothing does.

    Args:
        op_class: A class of ops.
        patterns: All of its patterns.
        folder: What folds its ops.
    """
    if (
        issubclass(op_class, arith.SignlessIntegerBinaryOperation)
        and getattr(arith, op_class.__name__, None) is op_class
        and op_class.fold is arith.SignlessIntegerBinaryOperation.fold
        and type(folder).__module__ == HasFolderInterface.__module__
        and all(type(pattern) in _OF_CONSTANTS for pattern in patterns)
    ):
        return _is_inert_arithmetic
    return None


def _is_inert_arithmetic(op: Operation, classes: Mapping[type[Operation], KnowsConstants]) -> bool:
    """Return whether an op on integers has no constant operand but an arbitrary one on the right.

    The folder and both patterns need a constant on the left, or a constant on the right that is
    neutral or absorbing.
    """
    left, right = op._operands
    if isinstance(left, OpResult) and classes[type(left.op)].constant is not None:
        return False
    if not isinstance(right, OpResult):
        return True
    definition = right.op
    if classes[type(definition)].constant is None:
        return True
    if type(definition) is not arith.ConstantOp:
        return False
    value = definition.properties.get("value")
    return type(value) is IntegerAttr and value.value.data not in _SPECIAL
