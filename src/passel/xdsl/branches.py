"""The operands that branches pass to their successors.

xDSL has no counterpart to MLIR's `BranchOpInterface`, so this module lists the branch ops that it
supports.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp, SwitchOp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue

_SEGMENTS = "operandSegmentSizes"


def successor_operands(branch: Operation) -> list[Sequence[SSAValue]] | None:
    """Return, for each successor of a branch op, the operands that the op passes to it.

    The result is None for a branch op that this module does not list.

    Example:
        >>> from xdsl.ir import Block
        >>> target = Block()
        >>> successor_operands(BranchOp(target))
        [()]
    """
    match branch:
        case BranchOp():
            return [branch.arguments]
        case ConditionalBranchOp():
            return [branch.then_arguments, branch.else_arguments]
        case SwitchOp():
            return [branch.default_operands, *branch.case_operand]
        case _:
            return None if branch.successors else []


def pass_to_successor(branch: Operation, index: int, value: SSAValue) -> None:
    """Append a value to the operands that a branch op passes to the successor at `index`."""
    passed = successor_operands(branch)
    assert passed is not None, f"'{branch.name}' is not a known branch"  # noqa: S101
    lengths = [len(values) for values in passed]
    first = len(branch.operands) - sum(lengths)
    operands = list(branch.operands)
    operands.insert(first + list(accumulate(lengths))[index], value)
    lengths[index] += 1
    branch.operands = operands
    if isinstance(branch, SwitchOp):
        default, *cases = lengths
        branch.properties["case_operand_segments"] = DenseArrayBase.from_list(i32, cases)
        lengths = [default, sum(cases)]
    if not isinstance(branch, BranchOp):
        sizes = [*[1] * first, *lengths]
        branch.properties[_SEGMENTS] = DenseArrayBase.from_list(i32, sizes)
